#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"
#include "graph/program/edit.h"
#include "graph/program/node_form.h"
#include "graph/program/units.h"
#include "text/syntax/expression_error.h"

namespace nestwright {
namespace {

/// The node with the dimensions of one element removed from its tensors; nullopt: it stays.
std::optional<GraphNode> smaller_node(const GraphNode& node) {
  try {
    GraphNode smaller = changed_node(node, without_units(*node.program));
    return smaller.inputs.empty() ? std::nullopt : std::optional(std::move(smaller));
  } catch (const text::ExpressionError&) {
    return std::nullopt;
  }
}

}  // namespace

Graph drop_units(const Graph& graph) {
  GraphRewrite rewrite(graph);
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const GraphNode& node = graph.nodes()[n];
    std::optional<GraphNode> smaller;
    if (!node.is_view() && !graph.value(node.outputs[0]).is_constant) smaller = smaller_node(node);
    if (!smaller) {
      rewrite.copy(n);
      continue;
    }
    // Views lead from and to the shapes that the other nodes have.
    for (std::size_t i = 0; i < smaller->inputs.size(); ++i) {
      const std::vector<std::int64_t>& shape = smaller->program->find_tensor(input_name(*smaller, i))->shape;
      smaller->inputs[i] = rewrite.to().reshape(rewrite.at(smaller->inputs[i]), shape);
    }
    const std::vector<ValueId> results = rewrite.to().add_node(std::move(*smaller));
    for (std::size_t i = 0; i < results.size(); ++i) {
      const ValueId old = node.outputs[i];
      rewrite.replace(old, rewrite.to().reshape(results[i], graph.type(old).shape));
    }
  }
  return rewrite.finish();
}

}  // namespace nestwright
