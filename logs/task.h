// Tasks and spaces in the database: found, added, matched. Private to logs/.
#pragma once

#include <optional>
#include <vector>

#include "logs/record.h"
#include "logs/sqlite/database.h"

namespace nestwright {

struct StoredTask {
  std::int64_t id = 0;
  TaskKey key;
  TaskTotals totals;
};

/// Adds what is missing. Requires a transaction.
std::int64_t ensure_task(sqlite::Database& database, const TaskKey& task);
std::int64_t ensure_space(sqlite::Database& database, std::int64_t task, const TemplateVersion& from);

std::vector<StoredTask> matching_tasks(const sqlite::Database& database, const TaskFilter& filter);
/// Exactly this one; the filter has no field for the pipeline.
std::optional<StoredTask> stored_task(const sqlite::Database& database, const TaskKey& task);
/// Throws LogError where there is no such session.
StoredTask task_of_session(const sqlite::Database& database, SessionId session);
/// Throws LogError unless the trial is one of the session's task, of whichever session.
void require_trial_of_task(const sqlite::Database& database, TrialId trial, SessionId session);

}  // namespace nestwright
