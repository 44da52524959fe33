// The chain of comparisons within one task. Private to logs/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "logs/record.h"
#include "logs/sqlite/database.h"
#include "logs/task.h"

namespace nestwright {

/// See TuningLog::best, for one task. `templates` as encode_templates() writes it.
std::optional<BestRecord> best_of_task(const sqlite::Database& database, const StoredTask& task,
                                       const std::string& templates);

/// Length of the difference of log2 sizes; nullopt where shapes differ in more than sizes. `wanted` says which
/// parameters are sizes.
std::optional<double> shape_distance(const std::vector<WorkloadParameter>& wanted,
                                     const std::vector<WorkloadParameter>& stored);

}  // namespace nestwright
