// Builds, checks and races one stored best again, beside the runners-up of its last race and the untuned default. The
// race is one of a session of the task that proposes nothing, so that its winner is the task's best with the provenance
// of today. Private to search/.
//
// Thread rule: one thread at a time. Nothing else should load the machine meanwhile.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "nestwright/database.h"
#include "nestwright/tune.h"
#include "search/revalidation/stored_bests.h"

namespace nestwright {

/// How to race a stored best again.
struct RaceAgainOptions {
  Effort effort = Effort::kQuick;
  std::shared_ptr<Builder> builder;  ///< for the target; null: one is made
  /// Returns the seconds that are left; infinity: no limit; 0 or less: the race ends with the samples taken so far.
  /// Required.
  std::function<double()> seconds_left;
  /// Returns the seconds after which a kernel is not waited for any more. Required.
  std::function<double()> hard_seconds_left;
  /// Called with what takes longer than usual, one clause. May be empty.
  std::function<void(const std::string& note)> on_note;
};

/// The outcome of a race.
struct RaceAgain {
  /// The stored best, as the race measured it; absent if the time was over before it was checked.
  std::optional<Measurement> measured;
  std::string disturbance;  ///< what disturbed the machine, so that the race decided nothing; empty: nothing
  std::string over;         ///< why it ended before there were times, one clause; empty: it did not
  std::optional<BestRecord> replaced_by;  ///< the configuration that took its place; absent: it kept it
};

/// Requires a best without an obstacle. A best that another backend, driver or name of the processor made is recorded
/// as trials of the present task first. Throws LogError, Error where a worker does not start, and what TuningSession
/// throws.
RaceAgain race_again(const StoredBest& best, TuningLog& log, const RaceAgainOptions& options);

}  // namespace nestwright
