#include <map>
#include <set>
#include <string>

#include <nestwright/error.h>
#include "operators.h"

namespace mnist {

using nestwright::GraphNode;
using nestwright::UsageError;

// From the result back to the inputs, each node passes the gradient of its value on to its operands.
std::vector<ValueId> add_gradients(Graph& graph, ValueId result, ValueId seed, const std::vector<ValueId>& inputs) {
  std::set<ValueId> dependent(inputs.begin(), inputs.end());  // values that depend on the inputs
  for (const GraphNode& node : graph.nodes()) {
    for (const ValueId operand : node.inputs) {
      if (dependent.contains(operand)) dependent.insert(node.outputs.begin(), node.outputs.end());
    }
  }
  std::map<ValueId, ValueId> gradients{{result, seed}};
  for (std::size_t n = graph.nodes().size(); n-- > 0;) {
    const GraphNode node = graph.nodes()[n];  // a copy, because nodes are added
    const ValueId value = node.outputs[0];
    if (!gradients.contains(value)) continue;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (!dependent.contains(node.inputs[i])) continue;
      const std::vector<GradientRule>& rules = find_operator(node.op).gradients;
      const GradientRule rule = i < rules.size() ? rules[i] : GradientRule{};
      std::vector<ValueId> operands;
      for (const char letter : rule.letters) {
        operands.push_back(letter == 'G' ? gradients[value] : letter == 'Y' ? value : node.inputs.at(letter - 'A'));
      }
      if (operands.empty()) throw UsageError(node.op + " has no gradient rule");
      const ValueId part = rule.op.empty() ? operands[0] : apply(graph, rule.op, operands);
      const auto [sum, is_first] = gradients.try_emplace(node.inputs[i], part);
      if (!is_first) sum->second = apply(graph, "add", {sum->second, part});  // several nodes read the value
    }
  }
  std::vector<ValueId> found;
  for (const ValueId input : inputs) {
    if (!gradients.contains(input)) throw UsageError("the result does not depend on one of the inputs");
    found.push_back(gradients[input]);
  }
  return found;
}

}  // namespace mnist
