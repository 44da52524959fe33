#include <fmt/ranges.h>

#include <array>
#include <regex>

#include <nestwright/error.h>
#include <nestwright/text_operator.h>
#include "graph.h"

namespace mnist {
namespace {

constexpr std::size_t kMaxArguments = 'Y' - 'A';  // of a kernel: each is named by a letter, and Y is the result

/// At least as many as the arguments of a kernel of `nodes`.
std::size_t count_inputs(const Graph& graph, const std::vector<Value>& nodes) {
  std::size_t count = 0;
  for (const Value v : nodes) count += graph.nodes[v].inputs.size();
  return count;
}

/// The kernel of `nodes`, each of which continues the one before it. Arguments are named A, B, C, ... and the result Y,
/// whatever the numbers of the values are, so that layers of the same shape have the same kernels.
Kernel write_kernel(const Graph& graph, const Types& types, const std::vector<Value>& nodes) {
  constexpr std::array<const char*, 3> kIndices{"", "i", "i,j"};  // by the number of dimensions
  Kernel kernel{.result = nodes.back()};
  std::string& text = kernel.expression;
  std::map<Value, std::string> names;
  for (const Value v : nodes) {
    const Node& node = graph.nodes[v];
    const std::string number = std::to_string(names.size());
    names[v] = v == kernel.result ? "Y" : "Y" + number;
    for (const char letter : node.op->text) {
      const auto input = static_cast<std::size_t>(letter - 'A');
      if (letter == '~') {
        text += kIndices.at(types.at(node.inputs[0]).shape.size());
      } else if (letter < 'A' || letter > 'Z') {
        text += letter;
      } else if (letter == 'Y') {
        text += names[v];
      } else if (input >= node.inputs.size()) {
        text += letter + number;  // is used only inside of the operator
      } else {
        const auto [name, is_new] = names.try_emplace(node.inputs[input], 1, 'A' + kernel.arguments.size());
        if (is_new) kernel.arguments.push_back(node.inputs[input]);
        text += name->second;
      }
    }
    text += "; ";
  }
  for (const Value v : kernel.arguments) {
    text += fmt::format("{}: {}[{}]; ", names[v], types.at(v).type.str(), fmt::join(types.at(v).shape, ","));
  }
  return kernel;
}

/// Infers the shape of a node's value from the expression and the shapes of its inputs.
TensorType infer_type(const Graph& graph, const Types& types, Value v) {
  const std::string expression = write_kernel(graph, types, {v}).expression;
  const nestwright::Workload workload = nestwright::workload_of(expression);
  // The operator's name declares only the shapes that indices do not imply.
  static const std::regex declared_shape(":\\w*\\[");
  if (std::regex_search(workload.op->name, declared_shape)) {
    throw nestwright::UsageError("the shapes of tensors do not agree: " + expression);
  }
  const nestwright::Tensor& result = workload.definition->args.back();
  return {result.dtype(), nestwright::ir::constants_of(result.shape())};
}

}  // namespace

std::vector<Kernel> make_kernels(const Graph& graph, const std::set<Value>& outputs, Types& types) {
  std::set<Value> needed = outputs;
  for (Value v = graph.nodes.size(); v-- > 0;) {
    if (needed.contains(v)) needed.insert(graph.nodes[v].inputs.begin(), graph.nodes[v].inputs.end());
  }
  std::map<Value, std::vector<Value>> readers, parts;  // parts: the nodes of the kernel that computes a value
  for (const Value v : needed) {
    for (const Value input : graph.nodes[v].inputs) readers[input].push_back(v);
  }
  std::vector<Kernel> kernels;
  for (const Value v : needed) {
    if (graph.nodes[v].op == nullptr) continue;
    types[v] = infer_type(graph, types, v);
    parts[v].push_back(v);
    const Node* const reader = readers[v].size() == 1 ? &graph.nodes[readers[v][0]] : nullptr;
    const bool is_continued = reader != nullptr && reader->op->is_pointwise && reader->inputs[0] == v &&
                              count_inputs(graph, parts[v]) + reader->inputs.size() <= kMaxArguments;
    if (is_continued && !outputs.contains(v))
      parts[readers[v][0]] = parts[v];
    else
      kernels.push_back(write_kernel(graph, types, parts[v]));
  }
  return kernels;
}

}  // namespace mnist
