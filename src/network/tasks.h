// The tuning tasks of a graph: its kernels, equal ones once.
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "graph/program/node_form.h"
#include "nestwright/model/graph.h"
#include "nestwright/model/network.h"

namespace nestwright {

/// The tasks of the nodes of a graph for which `is_called` holds, in the order of their first nodes.
std::vector<NetworkTask> tasks_of(const Graph& graph, const std::function<bool(std::size_t node)>& is_called);

}  // namespace nestwright
