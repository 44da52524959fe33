#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"
#include "graph/program/merge.h"

namespace nestwright {

Graph name_tensors(const Graph& graph) {
  GraphRewrite rewrite(graph);
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const GraphNode& node = graph.nodes()[n];
    if (node.is_view()) {
      rewrite.copy(n);
      continue;
    }
    std::vector<bool> is_constant;
    for (const ValueId input : node.inputs) is_constant.push_back(graph.value(input).is_constant);
    GraphNode named = with_canonical_names(node, is_constant);
    named.inputs = rewrite.at(named.inputs);
    rewrite.add(std::move(named), node.outputs);
  }
  return rewrite.finish();
}

}  // namespace nestwright
