// The passes that make kernels of the nodes of a model. A pass returns a graph that computes the same.
//
//   const Graph kernels = optimized(model.graph);
//
// Thread rule: pure functions.
#pragma once

#include <functional>
#include <span>

#include "nestwright/model/graph.h"

namespace nestwright {

struct GraphPass {
  const char* name;
  const char* summary;
  Graph (*run)(const Graph& graph);
};

/// In the order in which they run.
std::span<const GraphPass> graph_passes();

/// May look at the graph after each pass.
using AfterPass = std::function<void(const GraphPass& pass, const Graph& graph)>;

/// The graph after the passes that decide which nodes are kernels, those before name-tensors.
Graph joined(const Graph& graph, const AfterPass& after = {});
/// A joined graph after the other passes.
Graph named(const Graph& graph, const AfterPass& after = {});
/// The graph after all passes: named(joined(graph)).
Graph optimized(const Graph& graph, const AfterPass& after = {});

// One file each.

/// Writes constants of one element into the expressions that read them.
Graph inline_scalars(const Graph& graph);
/// Removes dimensions of one element from expressions, with views around them.
Graph drop_units(const Graph& graph);
/// Lets nodes read tensors that are only transposed, sliced or padded where they came from.
Graph read_through(const Graph& graph);
/// Moves views behind the elementwise nodes that read them.
Graph sink_views(const Graph& graph);
/// Multiplies weights by the scales, and adds the offsets, that follow a linear node.
Graph fold_scales(const Graph& graph);
/// Joins elementwise nodes with the node that computes their operand.
Graph join_elementwise(const Graph& graph);
/// Joins nodes that reduce and compute the same rows: softmax and norms.
Graph join_rows(const Graph& graph);
/// Lets a node compute its result in the order of the transposition that alone reads it, if both have the last
/// dimension in its place.
Graph permute_results(const Graph& graph);
/// Names the tensors of each expression by their places, so that equal nodes have equal expressions.
Graph name_tensors(const Graph& graph);
/// Declares the ranges of the inputs of nodes whose results for random numbers are none, such as square roots: those of
/// the network's own activations for seeded inputs, up to powers of two. Computes the activations if there is such a
/// node. Nodes that read more than 32 MiB are taken to have results.
Graph declare_ranges(const Graph& graph);

}  // namespace nestwright
