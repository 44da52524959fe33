// Which configurations a network takes for its tasks: the best of each, or what was faster while the network ran.
// Thread rule: one thread at a time per log.
#pragma once

#include <optional>
#include <vector>

#include "nestwright/lookup.h"
#include "nestwright/model/network.h"

namespace nestwright {

/// A task of a network with one or several configurations, of which it takes the first.
struct TaskCandidates {
  TaskContext context;
  std::vector<Lookup> lookups;
};

/// The key of a network's records.
NetworkKey network_key(const std::string& graph, const Target& target, CacheState caches);

/// with_kernels() of nestwright/model/network.h for a joined graph (graph/passes/passes.h).
Graph kernels_of_joined(const Graph& joined, const Target& target, const TuningLog* log, CacheState caches);

/// The configuration of each of network_tasks(graph), in order: that of the network's record, if it was compared there
/// with the task's best, else the task's best, nearest or default one. `log` may be null. Throws as look_up() does.
std::vector<TaskCandidates> look_up_network(const Graph& graph, const Target& target, const TuningLog* log,
                                            CacheState caches);

/// The configuration that the record of a network chooses for a task whose best is `best`. Absent if the best was not
/// among those that were compared, or if it is the choice itself.
std::optional<Lookup> chosen_in_network(const NetworkRecord& record, const TaskContext& context, const Lookup& best,
                                        const TuningLog& log);

}  // namespace nestwright
