// Statistics of the trials of a tuning run.
// Thread rule: pure functions. Names state the units.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace nestwright::bench {

struct TimedTrial {
  double seconds = 0;  ///< from the start of the run until the trial was acknowledged
  double median_ns = 0;
  bool counts = false;  ///< can be the best: correct, verified, not ended early
};

/// Time of the first trial within `tolerance` of the fastest one; negative where no trial counts.
double seconds_to_within(std::span<const TimedTrial> trials, double tolerance);

/// The fastest time of a trial that counts; 0 where none does.
double best_ns(std::span<const TimedTrial> trials);

/// The number of trials until one that counts reached `share` of the speed of `known_best_ns`; nullopt where none did.
std::optional<int> trials_to_share(std::span<const TimedTrial> trials, double known_best_ns, double share);

/// The median over runs, where runs without a number sort last. nullopt where the median is such a run, or where one of
/// the two middle ones is. Requires at least one run.
std::optional<double> median_reached(std::vector<std::optional<int>> counts);

}  // namespace nestwright::bench
