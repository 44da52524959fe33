#include "graph/passes/passes.h"

namespace nestwright {
namespace {

constexpr GraphPass kPasses[] = {
    {"inline-scalars", "constants of one element become numbers", inline_scalars},
    {"drop-units", "dimensions of one element leave the expressions", drop_units},
    {"read-through", "transposed, sliced and padded tensors are read where they came from", read_through},
    {"sink-views", "views move behind elementwise nodes", sink_views},
    {"fold-scales", "scales and offsets of channels become part of the weights", fold_scales},
    {"join-elementwise", "elementwise nodes join the node that computes their operand", join_elementwise},
    {"join-rows", "nodes that compute the same rows become one: softmax, norms", join_rows},
    {"permute-results", "results are computed in the order of the transposition that reads them", permute_results},
    {"name-tensors", "tensors are named by their places", name_tensors},
    {"declare-ranges", "ranges of activations are declared where random numbers give none", declare_ranges},
};

}  // namespace

std::span<const GraphPass> graph_passes() { return kPasses; }

Graph optimized(const Graph& graph, const std::function<void(const GraphPass&, const Graph&)>& after) {
  Graph current = graph;
  for (const GraphPass& pass : graph_passes()) {
    current = pass.run(current);
    if (after) after(pass, current);
  }
  return current;
}

}  // namespace nestwright
