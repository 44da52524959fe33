// Makes one node of several.
// Thread rule: pure functions.
#pragma once

#include <span>
#include <vector>

#include "nestwright/model/graph.h"

namespace nestwright {

/// The node that computes `results` with the expressions of these nodes, which are in order. No other result of theirs
/// is needed, and none of `results` is read by one of them. Its inputs and outputs are values of `graph`. Statements
/// that compute elements from single elements are merged where that does not repeat costly functions.
GraphNode merged(const Graph& graph, std::span<const std::size_t> nodes, const std::vector<ValueId>& results);

/// The same node with its tensors named by their places: inputs A, B, ..., results Y, Y1, ..., others T, T1, ...; and
/// with declarations of the inputs that are constant. Nodes that compute the same then have one canonical expression.
GraphNode with_canonical_names(const GraphNode& node, const std::vector<bool>& is_constant);

}  // namespace nestwright
