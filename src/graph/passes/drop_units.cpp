#include <optional>

#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"
#include "graph/program/units.h"

namespace nestwright {

Graph drop_units(const Graph& graph) {
  GraphRewrite rewrite(graph);
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const GraphNode& node = graph.nodes()[n];
    std::optional<GraphNode> smaller;
    if (!node.is_view() && !graph.value(node.outputs[0]).is_constant) smaller = node_without_units(node);
    if (!smaller) {
      rewrite.copy(n);
      continue;
    }
    smaller->inputs = rewrite.at(smaller->inputs);
    const std::vector<ValueId> results = rewrite.add_with_views(std::move(*smaller));
    for (std::size_t i = 0; i < results.size(); ++i) {
      const ValueId old = node.outputs[i];
      rewrite.replace(old, rewrite.to().reshape(results[i], graph.type(old).shape));
    }
  }
  return rewrite.finish();
}

}  // namespace nestwright
