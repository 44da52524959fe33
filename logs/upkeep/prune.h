// Shrinks a database by the readings of trials that are of no further use.
// Thread rule: pure functions; any number of processes on one file.
#pragma once

#include <cstdint>
#include <string>

#include "nestwright/database.h"
#include "nestwright/records.h"

namespace nestwright {

struct PruneFilter {
  TaskFilter tasks;
  std::int64_t best = 100;  ///< trials of each task that stay as they are
};

/// What was pruned, or would be.
struct PruneResult {
  std::int64_t trials = 0;        ///< of the tasks that match
  std::int64_t emptied = 0;       ///< those of them that lose their readings
  std::int64_t bytes = 0;         ///< of these readings
  std::int64_t bytes_before = 0;  ///< size of the file
  std::int64_t bytes_after = 0;   ///< size of the file; without a change, the same
};

/// Removes the individual readings and the resources of kernels of all trials but these: the fastest of each task,
/// right ones before disturbed ones; those that a race or a session names; and those of running sessions. What is left
/// of the others is their configuration, outcome, message, time with its interval, error and costs. So a point that was
/// tried is not proposed again, models learn from it, and a new measurement always replaces one without readings. With
/// `is_dry`, the file is not changed.
///
/// The fastest are chosen among trials whose times are comparable: those of sessions with the same anchor, or of one
/// session. Throws LogError as TuningLog::open() does.
PruneResult prune_log(const std::string& path, const PruneFilter& filter, bool is_dry, const OpenOptions& options = {});

}  // namespace nestwright
