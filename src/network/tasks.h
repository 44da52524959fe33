// The tuning tasks of a graph: its kernels, equal ones once.
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "nestwright/model/graph.h"

namespace nestwright {

struct NetworkTask {
  std::string workload;  ///< the canonical expression with its sizes
  std::string label;     ///< that of the first of its nodes, and how often it occurs: "/layer1/conv2, 3x"
  std::string op;        ///< of the first of its nodes: "Conv+Relu"
  std::vector<std::size_t> nodes;
  double multiply_adds = 0;  ///< of one node
};

/// Whether a node is a kernel: neither a view nor computed from constants alone.
bool is_kernel(const Graph& graph, const GraphNode& node);

/// The tasks of a graph after its passes, in the order of their first nodes.
std::vector<NetworkTask> network_tasks(const Graph& graph);

}  // namespace nestwright
