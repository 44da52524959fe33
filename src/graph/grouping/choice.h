// Chooses groupings by the times of their tasks.
// Thread rule: a pure function. Times are in any one unit.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/grouping/grouping.h"

namespace nestwright {

/// The time of a task; nullopt if it is not known.
using TaskTime = std::function<std::optional<double>(const std::string& workload)>;

/// The sum of the times of tasks; nullopt if one is not known.
std::optional<double> time_of_all(const std::vector<std::string>& tasks, const TaskTime& time_of);

/// Which sites take less time changed: of those that have nodes in common the one that saves most, and so on with the
/// rest. A site stays as it is if the time of one of its tasks is not known. `tasks`: those of each site. The choice
/// can be given to with_groupings(). Times of changed sites are multiplied by `scale` before.
std::vector<bool> faster_groupings(std::span<const GroupingSite> sites, std::span<const GroupingTasks> tasks,
                                   const TaskTime& time_of, double scale = 1);

}  // namespace nestwright
