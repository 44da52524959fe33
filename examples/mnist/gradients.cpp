#include <map>
#include <set>
#include <string>

#include "graph.h"
#include "support/error.h"

namespace mnist {
namespace {

/// Adds the part of the gradient of node `v`'s input number `i` that comes from `gradient`, the gradient of `v`.
Value add_part(Graph& graph, Value v, std::size_t i, Value gradient) {
  const Node node = graph.nodes[v];
  if (i >= node.op->gradients.size() || node.op->gradients[i].letters.empty()) {
    throw nestwright::UsageError("the operator '" + std::string(node.op->name) + "' has no gradient rule");
  }
  const auto& [op, letters] = node.op->gradients[i];
  std::vector<Value> arguments;
  for (const char letter : letters) {
    const bool is_input = letter != 'G' && letter != 'Y';
    arguments.push_back(is_input ? node.inputs[static_cast<std::size_t>(letter - 'A')] : letter == 'G' ? gradient : v);
  }
  return op.empty() ? arguments[0] : graph.apply(op, arguments);
}

}  // namespace

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
    for (std::size_t i = 0; i < graph.nodes[v].inputs.size(); ++i) {
      const Value input = graph.nodes[v].inputs[i];
      if (!dependent.contains(input)) continue;
      const Value part = add_part(graph, v, i, gradients[v]);
      const auto [sum, is_first] = gradients.try_emplace(input, part);
      if (!is_first) sum->second = graph.apply("add", {sum->second, part});  // of all that read the value
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
