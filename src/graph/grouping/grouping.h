// Other groupings of a graph's kernels, beside those that the passes make: which of two is faster, measured times say.
//
//   const Graph graph = joined(model.graph);
//   const std::vector<GroupingSite> sites = grouping_sites(graph);
//   const std::vector<GroupingTasks> tasks = grouping_tasks(graph, sites);
//   const std::vector<bool> chosen = faster_groupings(sites, tasks, time_of);  // graph/grouping/choice.h
//   const Graph kernels = named(with_groupings(graph, sites, chosen));
//
// Thread rule: pure functions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "nestwright/model/graph.h"

namespace nestwright {

/// A place in a joined graph where kernels may be made in another way.
struct GroupingSite {
  std::string kind;                ///< the name of a GroupingKind
  std::vector<std::size_t> nodes;  ///< that the change replaces, in order
};

/// A way to change sites.
struct GroupingKind {
  const char* name;
  const char* summary;
};

/// In the order in which they take precedence where sites overlap.
std::vector<GroupingKind> grouping_kinds();

/// All sites of all kinds, kind by kind. `joined`: a graph after the passes that join nodes (graph/passes/passes.h).
std::vector<GroupingSite> grouping_sites(const Graph& joined);

/// The graph with those sites changed that are `chosen`. It computes the same. Of chosen sites that have nodes in
/// common, the first one is changed.
Graph with_groupings(const Graph& joined, std::span<const GroupingSite> sites, const std::vector<bool>& chosen);

/// The tasks, as canonical workloads, of a site as it is and of what takes its place, a task as often as it is called.
/// Parts and concatenations of tensors, which cost nothing, are no tasks.
struct GroupingTasks {
  std::vector<std::string> before, after;
  friend bool operator==(const GroupingTasks&, const GroupingTasks&) = default;
};

/// Those of each site, each changed by itself. Sites of equal nodes have equal tasks.
std::vector<GroupingTasks> grouping_tasks(const Graph& joined, std::span<const GroupingSite> sites);

}  // namespace nestwright
