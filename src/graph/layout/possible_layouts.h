// The layouts that the nodes of a graph may have.
// Thread rule: pure functions. Layouts are 0, as in the file, or the channels of a block.
#pragma once

#include <span>
#include <vector>

#include "nestwright/model/graph.h"

namespace nestwright {

/// By node: 0 if its tensors are as in the file; else the channels of its tensors that have blocks of that many
/// (graph/layout/blocked_shape.h) are divided into them.
using Layouts = std::vector<int>;

/// For each node the layouts that it may have, 0 first, then those of `blocks`. Convolutions may have others than 0,
/// and nodes that are connected with one by tensors that have blocks. Which nodes can follow from their expressions
/// (graph/layout/blocked_node.h), views from their shapes. Requires that each of
/// `blocks` is a multiple of the one before, so that tensors can be converted.
std::vector<Layouts> possible_layouts(const Graph& graph, std::span<const int> blocks);

/// A value that is computed in one layout and read in another.
struct LayoutConversion {
  ValueId value = 0;
  int from = 0, to = 0;
};

/// All conversions that assignments of these layouts may need, by value. Outputs of the graph are needed as in the
/// file.
std::vector<LayoutConversion> possible_conversions(const Graph& graph, const std::vector<Layouts>& possible);

}  // namespace nestwright
