// Determines how many random cases the tests try: few in an ordinary run, many in a soak. An ordinary run executes one
// slice of a long property test, so that the runs of many commits execute all of it.
// Thread rule: functions that read the environment.
#pragma once

#include <algorithm>
#include <cstdlib>

namespace nestwright::testing {

/// Whether this run is a soak: NESTWRIGHT_SOAK is in the environment (./check --full).
inline bool is_soak() { return std::getenv("NESTWRIGHT_SOAK") != nullptr; }

/// The factor on the number of cases: N of NESTWRIGHT_SOAK=N, else 1.
inline int soak() { return is_soak() ? std::max(1, std::atoi(std::getenv("NESTWRIGHT_SOAK"))) : 1; }

/// Cases [first, end) of a sequence.
struct CaseRange {
  int first = 0, end = 0;
  bool contains(int number) const { return number >= first && number < end; }
};

/// One of `slices` equal parts of `count` cases, a multiple of `slices`: the one that NESTWRIGHT_SLICE=N in the
/// environment chooses, a number that ./check derives from the commit's hash, else the first.
inline CaseRange slice_of(int count, int slices) {
  const char* const number = std::getenv("NESTWRIGHT_SLICE");
  const unsigned long chosen = number != nullptr ? std::strtoul(number, nullptr, 10) : 0;
  const int size = count / slices;
  const int first = static_cast<int>(chosen % static_cast<unsigned long>(slices)) * size;
  return {first, first + size};
}

/// The cases that this run tries: all in a soak, else a slice.
inline CaseRange cases_of_run(int count, int slices) {
  return is_soak() ? CaseRange{0, count} : slice_of(count, slices);
}

}  // namespace nestwright::testing
