// A node with blocked channels: another expression that computes the same.
//
//   Y[o,y,x]=sum(c,X[c,y,x]*W[o,c])+B[o]                          o=64 c=32
//   Y[p,y,x,q]=sum(d,e,X[d,y,x,e]*W[p,d,e,q])+B[p,q]              p=4 q=16 d=2 e=16
//
// Thread rule: pure functions.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "graph/layout/channel_split.h"
#include "nestwright/model/graph.h"

namespace nestwright {

struct BlockedNode {
  GraphNode node;      ///< inputs and outputs are those values of the graph that its tensors are made of
  ChannelSplit split;  ///< of its tensors, by their names in the node
};

/// The node with the channels of its tensors in blocks. nullopt if that is impossible (graph/layout/channel_split.h),
/// and where a node that computes nothing (graph/program/placement.h) would have to. Requires a node that is neither a
/// view nor constant.
std::optional<BlockedNode> blocked_node(const Graph& graph, const GraphNode& node, int block);

}  // namespace nestwright
