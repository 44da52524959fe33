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
constexpr std::size_t kNaming = 2;  // passes, the last ones, after which the nodes are the same

Graph after_passes(const Graph& graph, std::span<const GraphPass> passes, const AfterPass& after) {
  Graph current = graph;
  for (const GraphPass& pass : passes) {
    current = pass.run(current);
    if (after) after(pass, current);
  }
  return current;
}

}  // namespace

std::span<const GraphPass> graph_passes() { return kPasses; }

Graph joined(const Graph& graph, const AfterPass& after) {
  return after_passes(graph, graph_passes().first(std::size(kPasses) - kNaming), after);
}

Graph named(const Graph& graph, const AfterPass& after) {
  return after_passes(graph, graph_passes().last(kNaming), after);
}

Graph optimized(const Graph& graph, const AfterPass& after) { return named(joined(graph, after), after); }

}  // namespace nestwright
