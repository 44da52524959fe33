// Races finalists: kernels that are known to be right are timed in several fresh processes, all in the same passes,
// because two copies of one kernel can differ by a percent throughout a process, depending on their addresses. None is
// given up. A race takes a budget of seconds and ends within it: where it is short, readings are shorter, then fewer in
// each process, then there are fewer processes.
// Thread rule: no side effects except through the source and the functions of RaceLimits. Unit: nanoseconds per call.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "measure/race/gated_sampler.h"
#include "measure/race/race.h"
#include "measure/race/timing.h"

namespace nestwright {

/// How far a race, or the check of its entrants, has come.
struct RaceProgress {
  int done = 0;              ///< processes that have ended
  int of = 0;                ///< processes in all, as far as is known: a race may need more
  double seconds_left = -1;  ///< that the others are expected to take; negative: not known
};

/// The time for a race of finalists, and who is told of its progress.
struct RaceLimits {
  /// Returns the seconds that are left for the race, which ends before they are over by as much as a pass is expected
  /// to take; one pass of all finalists is always taken. Called between passes; 0 or less ends the race after the
  /// current pass. Empty: no limit.
  std::function<double()> seconds_left;
  /// Called after each process. May be empty.
  std::function<void(const RaceProgress&)> on_process;
};

/// How to race finalists.
struct FinalistConditions {
  TimingOptions timing;
  std::uint64_t seed = 1;  ///< of the order
  RaceLimits limits;
};

/// Races the contenders in at least finalist_processes fresh processes. Readings are finalist_sample_ns long, and as
/// many in each process as the medians of the fastest kernels need to stand still within finalist_steady, or within
/// half of what the processes differ by. A process in which
/// the kernels were slower together than in the others (measure/race/process_range.h) is repeated. More processes are
/// started until the ratio of the fastest two is known to finalist_precision.
///
/// Scores are in the unit of the first contender that does not fail, whose reference time is the median of the medians
/// of its processes. The median of each contender is that of its processes' medians; its interval is the range in which
/// 90% of undisturbed processes lie. A contender with undisturbed samples in fewer than three processes is marked as
/// disturbed, unless the race was to have fewer.
std::vector<Timing> race_finalists(GatedSampler& sampler, const FinalistConditions& conditions,
                                   std::span<const Contender> contenders);

/// Returns the medians of a race of finalists, one per undisturbed process, in order, as readings of the clock.
std::vector<double> process_medians(const Timing& timing);

/// Returns the ratio of the time of `a` to that of `b` in a race of finalists, from the pairs of each process; zeros if
/// there are no pairs.
MedianInterval ratio_between(const Timing& a, const Timing& b);

}  // namespace nestwright
