#include "network/identity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/data/hash.h"

namespace nestwright {

std::string identity_of(const Graph& graph) {
  std::string text;
  for (const GraphPort& input : graph.inputs()) {
    text += fmt::format("in {} {}\n", input.value, graph.type(input.value).str());
  }
  for (const GraphNode& node : graph.nodes()) {
    text += fmt::format("{} = {} of {}\n", fmt::join(node.outputs, ","),
                        node.is_view() ? graph.type(node.outputs[0]).str() : graph.expression_of(node),
                        fmt::join(node.inputs, ","));
  }
  for (const GraphPort& output : graph.outputs()) text += fmt::format("out {}\n", output.value);
  return fmt::format("{:016x}", stable_hash(text));
}

}  // namespace nestwright
