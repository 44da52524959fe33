#include "graph/print.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace nestwright {
namespace {

std::string name_of(const Graph& graph, ValueId id) {
  const std::string& name = graph.value(id).name;
  return fmt::format("%{}{}", id, name.empty() ? "" : ":" + name);
}

std::string names_of(const Graph& graph, const std::vector<ValueId>& values) {
  std::vector<std::string> names;
  for (const ValueId value : values) names.push_back(name_of(graph, value));
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string to_string(const Graph& graph) {
  std::string text;
  for (const GraphPort& input : graph.inputs()) {
    text += fmt::format("input {}: {}\n", name_of(graph, input.value), graph.type(input.value).str());
  }
  for (const GraphNode& node : graph.nodes()) {
    const bool is_constant = graph.value(node.outputs[0]).is_constant;
    text += fmt::format("{}: {} = {}{}({})", names_of(graph, node.outputs), graph.type(node.outputs[0]).str(),
                        is_constant ? "constant " : "", node.op, names_of(graph, node.inputs));
    if (!node.label.empty()) text += "  // " + node.label;
    text += node.is_view() ? "\n" : fmt::format("\n    {}\n", graph.expression_of(node));
  }
  for (const GraphPort& output : graph.outputs()) {
    text += fmt::format("output {} = {}\n", output.name, name_of(graph, output.value));
  }
  return text;
}

}  // namespace nestwright
