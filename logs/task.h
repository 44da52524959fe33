// Finds, adds and matches tasks and spaces in the database. Private to logs/.
// Thread rule: as for the database.
#pragma once

#include <optional>
#include <vector>

#include "logs/sqlite/database.h"
#include "nestwright/records.h"

namespace nestwright {

/// A task in the database.
struct StoredTask {
  std::int64_t id = 0;
  TaskKey key;
  TaskTotals totals;
};

/// Return the id, adding the row if it is missing. Require a transaction.
std::int64_t ensure_task(sqlite::Database& database, const TaskKey& task);
std::int64_t ensure_space(sqlite::Database& database, std::int64_t task, const TemplateVersion& from);

/// Returns the tasks that the filter selects.
std::vector<StoredTask> matching_tasks(const sqlite::Database& database, const TaskFilter& filter);
/// Finds exactly this task; TaskFilter has no field for the pipeline.
std::optional<StoredTask> stored_task(const sqlite::Database& database, const TaskKey& task);
/// Throws LogError if there is no such session.
StoredTask task_of_session(const sqlite::Database& database, SessionId session);
/// Throws LogError unless the trial belongs to the session's task, in whichever session.
void require_trial_of_task(const sqlite::Database& database, TrialId trial, SessionId session);

}  // namespace nestwright
