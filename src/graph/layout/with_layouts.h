// Lets the nodes of a graph compute in other layouts.
// Thread rule: a pure function.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "graph/layout/possible_layouts.h"
#include "nestwright/model/graph.h"

namespace nestwright {

/// What a kernel of a graph in layouts computes: a node of the original graph, or a conversion of one of its values.
struct KernelOrigin {
  std::optional<std::size_t> node;
  std::optional<LayoutConversion> conversion;
};

struct GraphInLayouts {
  Graph graph;
  /// For each kernel (graph/program/node_form.h), in order. named() (graph/passes/passes.h) keeps this order.
  std::vector<KernelOrigin> kernels;
};

/// The graph with its nodes in these layouts, each of which is one of possible_layouts(). A tensor that a node reads in
/// another layout than it was computed in is converted, once for all nodes that read it so. Inputs and outputs of the
/// graph stay as they are. Constants that blocked nodes read are nodes computed from the constants of the graph.
/// Requires that outputs need all nodes, as after each pass.
GraphInLayouts with_layouts(const Graph& graph, const Layouts& layouts);

}  // namespace nestwright
