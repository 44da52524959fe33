// Reads the clock around calls of a kernel, and around the fma loop before and after them.
// Thread rule: one thread at a time. Unit: nanoseconds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>

#include "measure/race.h"
#include "support/clock.h"

namespace nestwright {

inline double time_once(Clock& clock, const std::function<void()>& work) {
  const std::int64_t start = clock.now_ns();
  work();
  return static_cast<double>(clock.now_ns() - start);
}

/// A bracket is to see the clock of the core and nothing else, so that the least of a few runs counts: the first one
/// after a kernel also waits for code that the kernel drove out of the caches, and any may be interrupted.
constexpr int kBracketRuns = 3;

inline double take_bracket(Clock& clock, const std::function<void()>& bracket) {
  double least = std::numeric_limits<double>::infinity();
  for (int run = 0; run < kBracketRuns; ++run) least = std::min(least, time_once(clock, bracket));
  return least;
}

/// `bracket` may be empty: no brackets then.
inline Reading take_reading(Clock& clock, std::int64_t calls, const std::function<void()>& call,
                            const std::function<void()>& bracket) {
  Reading reading;
  if (bracket) reading.bracket_before_ns = take_bracket(clock, bracket);
  reading.ns = time_once(clock, [&] {
    for (std::int64_t i = 0; i < calls; ++i) call();
  });
  if (bracket) reading.bracket_after_ns = take_bracket(clock, bracket);
  return reading;
}

}  // namespace nestwright
