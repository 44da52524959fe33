// The chain of comparisons within one task. Private to logs/.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "logs/record.h"
#include "logs/sqlite/database.h"
#include "logs/task.h"

namespace nestwright {

/// True for the rows of `table` (trial or race_entry) whose measurement may be best: right, timed to the end, on a
/// quiet machine.
std::string is_sound(const char* table);
/// The same for trials; one that takes another one's measurement is that one, and one that failed when an undisturbed
/// race ran it is beaten, however fast it was.
std::string is_sound_trial();

/// See TuningLog::best, for one task. `templates` as encode_templates() writes it.
std::optional<BestRecord> best_of_task(const sqlite::Database& database, const StoredTask& task,
                                       const std::string& templates);

/// See TuningLog::stored_best.
std::optional<BestRecord> stored_best_of(const sqlite::Database& database, SessionId session, const StoredTask& task,
                                         const std::string& templates);

/// Length of the difference of log2 sizes; nullopt where shapes differ in more than sizes. `wanted` says which
/// parameters are sizes.
std::optional<double> shape_distance(const std::vector<WorkloadParameter>& wanted,
                                     const std::vector<WorkloadParameter>& stored);

/// The tasks that `filter` selects for other shapes than `workload`, each with its shape_distance(), the nearest first.
std::vector<std::pair<double, StoredTask>> tasks_by_distance(const sqlite::Database& database,
                                                             const WorkloadKey& workload, const TaskFilter& filter);

}  // namespace nestwright
