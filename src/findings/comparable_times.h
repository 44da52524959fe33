// Converts the times of a task's trials to one unit: the clock of a machine changes by tens of percent between
// sessions, so that their times are comparable only where they have an anchor in common (SessionUnit).
// Thread rule: pure functions. Unit: nanoseconds per call, of the session `unit`.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "logs/listing/log_reader.h"
#include "logs/listing/sessions.h"

namespace nestwright {

struct ComparableTimes {
  SessionId unit = 0;       ///< the session whose unit they have; 0: no trial was timed
  std::vector<double> ns;   ///< of each trial; 0: it was not timed, or its session has no anchor in common with `unit`
  bool is_partial = false;  ///< whether there are timed trials whose times are not comparable

  /// The fastest of the trials that are right and were timed to the end on a quiet machine; `size()` if there is none.
  std::size_t best = 0;
};

/// Takes the unit of the group of sessions with the most timed trials, and of its latest session.
ComparableTimes comparable_times(std::span<const ListedSession> sessions, const TrialColumns& trials);

/// Whether the time of a trial counts as that of its configuration: right, timed to the end, on a quiet machine.
bool is_sound(const TrialColumns& trials, std::size_t trial);

}  // namespace nestwright
