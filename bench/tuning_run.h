// What is concluded from the trials of one tuning run. Pure.
// Thread rule: values. Units stand in the names.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace nestwright::bench {

struct TimedTrial {
  double seconds = 0;  ///< when it was acknowledged, since the run was started
  double median_ns = 0;
  bool counts = false;  ///< may be a best one: right, verified, not ended early
};

/// When a trial first was within `tolerance` of the fastest of all, the earliest first; negative where none counts.
double seconds_to_within(std::span<const TimedTrial> trials, double tolerance);

/// The fastest that counts; 0 where none does.
double best_ns(std::span<const TimedTrial> trials);

/// How many trials until one that counts was at least `share` as fast as `known_best_ns`, the earliest first; nothing
/// where none was.
std::optional<int> trials_to_share(std::span<const TimedTrial> trials, double known_best_ns, double share);

/// The middle one of as many as there are runs, those without a number after all others; nothing where it is one of
/// these, or the two in the middle are not both numbers. Requires at least one.
std::optional<double> median_reached(std::vector<std::optional<int>> counts);

}  // namespace nestwright::bench
