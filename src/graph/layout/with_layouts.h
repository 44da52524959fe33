// Lets the nodes of a graph compute in other layouts.
// Thread rule: a pure function.
#pragma once

#include "graph/layout/possible_layouts.h"
#include "nestwright/model/graph.h"

namespace nestwright {

/// The graph with its nodes in these layouts, each of which is one of possible_layouts(). A tensor that a node reads in
/// another layout than it was computed in is converted, once for all nodes that read it so. Inputs and outputs of the
/// graph stay as they are. Constants that blocked nodes read are nodes computed from the constants of the graph.
Graph with_layouts(const Graph& graph, const Layouts& layouts);

}  // namespace nestwright
