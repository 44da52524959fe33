// Statistics of a run: what its programs contained, and the outcomes of its cases.
// Thread rule: values; each thread has its own, which are added up.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "tests/property/check.h"
#include "tests/property/draw_schedule.h"

namespace nestwright::property {

class Counts {
 public:
  static constexpr std::size_t kTails = 4, kReducers = 8;

  /// Counts a program that agreed, with its primitives, tails and reducers.
  void add_program(const Schedule& schedule, const Expression& expression, const Depth& depth);
  void add_attempt(const Drawn& drawn) { refused_primitives += drawn.refused; }
  void add_verdict(const Outcome& outcome);
  void add(const Counts& other);

  /// The number of programs by primitive, tail (of any split in them) and reducer (of any reduction, including tuples).
  /// The last column is for primitives applied to a part of a scan. One line for each primitive and tail.
  std::string table() const;
  /// Combinations that no program had, as "split x guard x sum".
  std::vector<std::string> missing() const;
  std::string summary() const;

  std::int64_t programs = 0, vector_forms = 0, compiled = 0, refused_primitives = 0, replayed = 0;
  std::map<Verdict, std::int64_t> verdicts;
  std::map<std::string, std::int64_t> refusals;  ///< by the lowering, by the message after its first name

 private:
  using Cells = std::array<std::array<std::int64_t, kReducers>, kTails>;
  std::map<std::string, Cells> cells_;  ///< by primitive
};

}  // namespace nestwright::property
