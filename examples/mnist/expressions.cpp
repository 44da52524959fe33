#include "expressions.h"

#include "support/error.h"
#include "text/expression.h"

namespace mnist {
namespace {

/// The kernel of `nodes`, each of which continues the one before it. Arguments are named A, B, C, ... and the result Y,
/// whatever the numbers of the values are, so that layers of the same shape have the same kernels.
Kernel write_kernel(const Graph& graph, const std::vector<TensorType>& types, const std::vector<Value>& nodes) {
  Kernel kernel{.result = nodes.back()};
  std::string& text = kernel.expression;
  std::map<Value, std::string> names;
  for (const Value v : nodes) {
    const Node& node = graph.nodes[v];
    const std::string suffix = std::to_string(names.size());  // of what the kernel uses only inside
    names[v] = v == kernel.result ? "Y" : "Y" + suffix;
    const auto name_of = [&](char letter) {
      const auto input = static_cast<std::size_t>(letter - 'A');
      if (input >= node.inputs.size()) return letter == 'Y' ? names[v] : letter + suffix;
      const auto [name, is_new] = names.try_emplace(node.inputs[input], 1, 'A' + kernel.arguments.size());
      if (is_new) kernel.arguments.push_back(name->first);
      return name->second;
    };
    for (std::size_t at = 0; at < node.op->text.size(); ++at) {
      const char letter = node.op->text[at];
      if (node.op->text.substr(at, 3) == "...") {
        for (std::size_t d = 0; d < types[node.inputs[0]].shape.size(); ++d)
          text += (d > 0 ? ",i" : "i") + std::to_string(d);
        at += 2;
      } else if (letter >= 'A' && letter <= 'Z') {
        text += name_of(letter);
      } else {
        text += letter;
      }
    }
    text += "; ";
  }
  for (const Value argument : kernel.arguments) {
    std::string extents;
    for (const std::int64_t extent : types[argument].shape)
      extents += (extents.empty() ? "" : ",") + std::to_string(extent);
    text += names[argument] + ": " + types[argument].type.str() + "[" + extents + "]; ";
  }
  return kernel;
}

}  // namespace

std::size_t TensorType::bytes() const {
  auto bytes = static_cast<std::size_t>(type.bytes());
  for (const std::int64_t extent : shape) bytes *= static_cast<std::size_t>(extent);
  return bytes;
}

std::vector<TensorType> infer_types(const Graph& graph, const std::map<Value, TensorType>& inputs) {
  std::vector<TensorType> types(graph.nodes.size());
  for (Value v = 0; v < types.size(); ++v) {
    if (graph.nodes[v].op == nullptr) {
      types[v] = inputs.at(v);
      continue;
    }
    const auto program = nestwright::text::Expression::parse(write_kernel(graph, types, {v}).expression).program();
    for (const auto& tensor : program.tensors) {
      if (tensor.has_own_shape) throw nestwright::UsageError("the shapes of tensors do not agree: " + program.text);
    }
    const auto& result = program.tensors[program.parameters().back()];
    types[v] = {result.type, result.shape};
  }
  return types;
}

std::vector<Kernel> make_kernels(const Graph& graph, const std::vector<TensorType>& types) {
  std::map<Value, int> readers;
  for (const Node& node : graph.nodes) {
    for (const Value input : node.inputs) ++readers[input];
  }
  std::set<Value> continued;  // values that nothing reads but the node that continues the kernel
  for (const Node& node : graph.nodes) {
    const bool may_continue = node.op != nullptr && node.op->is_pointwise && readers[node.inputs[0]] == 1;
    if (may_continue && !graph.outputs.contains(node.inputs[0])) continued.insert(node.inputs[0]);
  }
  std::map<Value, std::vector<Value>> nodes;  // of the kernel that computes a value
  std::vector<Kernel> kernels;
  for (Value v = 0; v < graph.nodes.size(); ++v) {
    if (graph.nodes[v].op == nullptr) continue;
    const Value first = graph.nodes[v].inputs[0];
    if (continued.contains(first)) nodes[v] = nodes[first];
    nodes[v].push_back(v);
    if (!continued.contains(v)) kernels.push_back(write_kernel(graph, types, nodes[v]));
  }
  return kernels;
}

}  // namespace mnist
