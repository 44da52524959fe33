#include <nestwright/error.h>
#include "graph.h"

namespace mnist {

// From the result back to the inputs, each node passes the gradient of its value on to what it was computed from.
std::vector<Value> add_gradients(Graph& graph, Value result, Value seed, const std::vector<Value>& inputs) {
  std::set<Value> dependent(inputs.begin(), inputs.end());  // values that depend on the inputs
  for (Value v = 0; v <= result; ++v) {
    for (const Value input : graph.nodes[v].inputs) {
      if (dependent.contains(input)) dependent.insert(v);
    }
  }
  std::map<Value, Value> gradients{{result, seed}};
  for (Value v = result + 1; v-- > 0;) {
    if (!gradients.contains(v)) continue;
    const Node node = graph.nodes[v];  // a copy, because nodes are added
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (!dependent.contains(node.inputs[i])) continue;
      const GradientRule rule = i < node.op->gradients.size() ? node.op->gradients[i] : GradientRule{};
      std::vector<Value> arguments;
      for (const char letter : rule.letters) {
        arguments.push_back(letter == 'G' ? gradients[v] : letter == 'Y' ? v : node.inputs.at(letter - 'A'));
      }
      if (arguments.empty()) throw nestwright::UsageError(std::string(node.op->name) + " has no gradient rule");
      const Value part = rule.op.empty() ? arguments[0] : graph.apply(rule.op, arguments);
      const auto [sum, is_first] = gradients.try_emplace(node.inputs[i], part);
      if (!is_first) sum->second = graph.apply("add", {sum->second, part});  // several nodes read the value
    }
  }
  std::vector<Value> found;
  for (const Value input : inputs) {
    if (!gradients.contains(input)) throw nestwright::UsageError("the result does not depend on one of the inputs");
    found.push_back(gradients[input]);
  }
  return found;
}

}  // namespace mnist
