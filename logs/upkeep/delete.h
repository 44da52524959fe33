// Deletes sessions from a database, tasks of which no session is left, and networks of which a kernel that was compared
// has no task, or whose target and conditions have none.
// Thread rule: pure functions; any number of processes on one file.
#pragma once

#include <cstdint>
#include <string>

#include "nestwright/database.h"
#include "nestwright/records.h"

namespace nestwright {

/// Selects the sessions that match all of these.
struct DeleteFilter {
  TaskFilter tasks;
  SessionId session = 0;  ///< 0: any
  std::string before;     ///< only sessions that began before this time (UTC, ISO 8601); empty: any
};

/// What was deleted, or would be.
struct DeleteResult {
  std::int64_t tasks = 0, sessions = 0, trials = 0, races = 0;
  /// Trials that stay although their sessions were selected, because sessions or races that stay name them, and the
  /// sessions that stay with them.
  std::int64_t kept_trials = 0, kept_sessions = 0;
};

/// Deletes the selected sessions with their races, their trials and the points that only they proposed. Points of other
/// sessions whose trials are deleted are without a trial again: the next session of the task measures them. With
/// `is_dry`, the file is not changed.
///
/// Throws LogError as TuningLog::open() does, and if a process is working on a session of one of the tasks,
/// which may need a trial that would be deleted.
DeleteResult delete_sessions(const std::string& path, const DeleteFilter& filter, bool is_dry,
                             const OpenOptions& options = {});

}  // namespace nestwright
