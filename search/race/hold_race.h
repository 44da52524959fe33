// Holds a race of recorded trials: compiles them as winners are, checks them as finalists are, times those that are
// right interleaved in several fresh processes, and concludes which one is the best. Private to search/. Thread rule:
// one thread at a time.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "measure/race/race_finalists.h"
#include "nestwright/records.h"
#include "search/trials/built_point.h"
#include "search/trials/tools.h"

namespace nestwright {

/// The time for the races that end a session, and who is told of their progress.
struct FinalRaceLimits {
  /// Returns the seconds that are left for both races, with compiling and checking what takes part; infinity: no limit;
  /// 0 or less: they end with the samples taken so far. Called between checks and passes. The preliminary race gets at
  /// most half of what is left when it starts. Required.
  std::function<double()> seconds_left;
  /// Called with what is being done ("checking finalists", "preliminary race", "final race") after each check and after
  /// each process of a race. May be empty.
  std::function<void(const std::string& doing, const RaceProgress&)> on_progress;
};

/// The entries of a race, which are not measured yet, with their points and kernels in the same order.
struct Entrants {
  std::vector<RaceEntry> entries;
  std::vector<Point> points;
  std::vector<BuiltPoint> kernels;  ///< once they are compiled

  /// A trial that is added twice keeps its first role.
  void add(TrialId trial, const Point& point, const std::string& role) {
    if (std::ranges::find(entries, trial, &RaceEntry::trial) != entries.end()) return;
    entries.push_back({.trial = trial, .role = role, .measurement = {}, .process_medians_ns = {}});
    points.push_back(point);
  }
};

/// Why a race has no conclusion that did not get to its first process.
inline constexpr const char* kTimeWasOver = "the time was over before its entrants were checked";

/// The limits of one of the races, whose processes are reported as `doing`.
RaceLimits race_limits(const FinalRaceLimits& limits, const std::string& doing);

/// Compiles the entrants with the final pipeline, checks them, and times the correct ones. A failure is an entry with
/// that outcome: a stored best that no longer compiles, or is wrong now, loses its place. The disturbance of a race
/// that ended before all entrants were checked is kTimeWasOver. Throws Error where a worker does not start.
Race hold_race(Tools& tools, const FinalRaceLimits& limits, Entrants& entrants);

/// The entry of a stored best whose configuration this build does not have any more, which therefore loses its place.
RaceEntry entry_of_lost_point(const BestRecord& stored);

}  // namespace nestwright
