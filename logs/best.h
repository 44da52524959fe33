// Queries for the best records of one task, along the chain of its comparisons. Private to logs/.
// Thread rule: as for the database.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "logs/sqlite/database.h"
#include "logs/task.h"
#include "nestwright/records.h"

namespace nestwright {

/// Returns SQL that is true for the rows of `table` (trial or race_entry) whose measurement may be best: right, timed
/// to the end, on a quiet machine.
std::string is_sound(const char* table);
/// Returns SQL that is true for those that are right and timed to the end, perhaps on a disturbed machine.
std::string is_timed(const char* table);
/// The same as is_sound() for trials. It excludes trials that take another trial's measurement, and trials that failed
/// in an undisturbed race, however fast they were.
std::string is_sound_trial();

/// See TuningLog::best, for one task. `templates` is in the form of encode_templates().
std::optional<BestRecord> best_of_task(const sqlite::Database& database, const StoredTask& task,
                                       const std::string& templates);

/// See TuningLog::stored_best.
std::optional<BestRecord> stored_best_of(const sqlite::Database& database, SessionId session, const StoredTask& task,
                                         const std::string& templates);

/// Returns the Euclidean distance between the log2 sizes; absent if the shapes differ in more than sizes. `wanted` says
/// which parameters are sizes, and has the defaults of those that one of the two omits.
std::optional<double> shape_distance(const WorkloadKey& wanted, const std::vector<WorkloadParameter>& stored);

/// Returns the tasks that `filter` selects for shapes other than `workload`, each with its shape_distance(), nearest
/// first.
std::vector<std::pair<double, StoredTask>> tasks_by_distance(const sqlite::Database& database,
                                                             const WorkloadKey& workload, const TaskFilter& filter);

}  // namespace nestwright
