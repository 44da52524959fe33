// Timing of calls, inside the process of a contestant.
// Thread rule: one thread at a time. Units: nanoseconds.
#pragma once

#include <cstdint>

#include "bench/comparison/operation.h"
#include "bench/comparison/round_check.h"

namespace nestwright::bench {

/// Calls that go round over the copies of their operands.
class Sampler {
 public:
  /// Requires at least one call. Refers to them.
  explicit Sampler(const Calls& calls) : calls_(calls) {}

  void call_once();
  /// The mean of as many calls as take somewhat more than 20 ms together, after one that is not timed. Their number is
  /// found out at the first sample.
  Sample sample();

 private:
  Sample time(std::int64_t calls);

  const Calls& calls_;
  std::size_t next_ = 0;
  std::int64_t calls_of_a_sample_ = 0;
};

/// Median time of a call over a few samples: for choosing between routines of one library.
double quick_time_ns(const Calls& calls);

}  // namespace nestwright::bench
