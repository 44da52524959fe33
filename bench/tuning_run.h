// What is concluded from the trials of one tuning run. Pure.
// Thread rule: values. Units stand in the names.
#pragma once

#include <span>

namespace nestwright::bench {

struct TimedTrial {
  double seconds = 0;  ///< when it was acknowledged, since the run was started
  double median_ns = 0;
  bool counts = false;  ///< may be a best one: right, verified, not ended early
};

/// When a trial first was within `tolerance` of the fastest of all, the earliest first; negative where none counts.
double seconds_to_within(std::span<const TimedTrial> trials, double tolerance);

}  // namespace nestwright::bench
