// Times calls inside the process of a contestant.
// Thread rule: one thread at a time. Units: nanoseconds.
#pragma once

#include <cstdint>

#include "bench/comparison/timing/operation.h"
#include "bench/comparison/timing/round_check.h"

namespace nestwright::bench {

/// Samples calls, rotating through the copies of their operands.
class Sampler {
 public:
  /// Requires at least one call. `calls` outlives the sampler.
  explicit Sampler(const Calls& calls) : calls_(calls) {}

  void call_once();
  /// The mean time of calls that take somewhat more than 20 ms together, after one untimed call. The first sample
  /// determines their number.
  Sample sample();

 private:
  Sample time(std::int64_t calls);

  const Calls& calls_;
  std::size_t next_ = 0;
  std::int64_t calls_of_a_sample_ = 0;
};

/// Median time of a call over a few samples, for choosing between routines of a library.
double quick_time_ns(const Calls& calls);

}  // namespace nestwright::bench
