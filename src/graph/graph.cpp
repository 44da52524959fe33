#include "nestwright/model/graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "nestwright/error.h"
#include "text/syntax/canonical.h"
#include "text/syntax/program.h"

namespace nestwright {
namespace {

/// A copy of the elements, which it owns.
ConstantData copied(std::span<const std::byte> elements) {
  const auto memory = std::make_shared<std::vector<std::byte>>(elements.begin(), elements.end());
  return {std::span(*memory), memory};
}

/// "; X: float32[8, 64]" for each operand.
std::string declarations(const Graph& graph, const std::vector<GraphOperand>& operands) {
  std::string text;
  for (const GraphOperand& operand : operands) {
    text += fmt::format("; {}: {}", operand.name, graph.type(operand.value).str());
  }
  return text;
}

TensorType type_of(const text::TensorInfo& tensor) { return {tensor.type, tensor.shape}; }

/// Throws UsageError unless a tensor may have this shape.
void check_shape(const TensorType& type) {
  constexpr std::int64_t kMostElements = std::int64_t{1} << 40;
  std::int64_t elements = 1;
  for (const std::int64_t extent : type.shape) {
    if (extent >= 0 && !__builtin_mul_overflow(elements, extent, &elements) && elements <= kMostElements) continue;
    throw UsageError(fmt::format("a tensor cannot have the type {}", type.str()));
  }
}

/// A node without results yet.
GraphNode node_of(const Graph& graph, std::string_view expression, const std::vector<GraphOperand>& operands) {
  GraphNode node;
  node.program = std::make_shared<const text::Program>(
      text::analyse(text::parse_source(std::string(expression) + declarations(graph, operands))));
  for (const std::size_t parameter : node.program->parameters()) {
    const text::TensorInfo& tensor = node.program->tensors[parameter];
    if (!tensor.is_input) continue;
    const auto operand = std::find_if(operands.begin(), operands.end(),
                                      [&](const GraphOperand& candidate) { return candidate.name == tensor.name; });
    if (operand == operands.end()) {
      throw UsageError(fmt::format("the expression {} reads '{}', which is no operand", expression, tensor.name));
    }
    node.inputs.push_back(operand->value);
  }
  return node;
}

}  // namespace

std::int64_t TensorType::elements() const {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) product *= extent;
  return product;
}

std::string TensorType::str() const { return fmt::format("{}[{}]", type.str(), fmt::join(shape, ", ")); }

ValueId Graph::add_input(std::string name, TensorType type) {
  check_shape(type);
  values_.push_back({.name = name, .type = std::move(type)});
  inputs_.push_back({std::move(name), values_.size() - 1});
  return values_.size() - 1;
}

ValueId Graph::add_constant(TensorType type, std::span<const std::byte> elements, std::string name) {
  return add_constant(std::move(type), copied(elements), std::move(name));
}

ValueId Graph::add_constant(TensorType type, ConstantData data, std::string name) {
  check_shape(type);
  if (data.bytes.size() != type.size_bytes()) {
    throw UsageError(fmt::format("the constant {} is {} and has {} bytes, not {}", name, type.str(), type.size_bytes(),
                                 data.bytes.size()));
  }
  values_.push_back({.name = std::move(name), .type = std::move(type), .data = std::move(data), .is_constant = true});
  return values_.size() - 1;
}

ValueId Graph::apply(std::string op, std::string_view expression, const std::vector<GraphOperand>& operands,
                     std::string label) {
  GraphNode node = node_of(*this, expression, operands);
  if (node.program->parameters().size() != node.inputs.size() + 1) {
    throw UsageError(fmt::format("the expression {} has several results: use apply_all()", expression));
  }
  node.op = std::move(op);
  node.label = std::move(label);
  return add_node(std::move(node)).front();
}

std::vector<ValueId> Graph::apply_all(std::string op, std::string_view expression,
                                      const std::vector<GraphOperand>& operands, std::string label) {
  GraphNode node = node_of(*this, expression, operands);
  node.op = std::move(op);
  node.label = std::move(label);
  return add_node(std::move(node));
}

std::vector<ValueId> Graph::add_node(GraphNode node) {
  const bool is_constant =
      std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId input) { return values_[input].is_constant; });
  node.outputs.clear();
  std::size_t input = 0;
  for (const std::size_t parameter : node.program->parameters()) {
    const text::TensorInfo& tensor = node.program->tensors[parameter];
    if (tensor.is_input) {
      check(values_[node.inputs[input++]].type == type_of(tensor), "a node's inputs have the types of its program");
      continue;
    }
    node.outputs.push_back(values_.size());
    values_.push_back({.type = type_of(tensor), .node = nodes_.size(), .is_constant = is_constant});
  }
  nodes_.push_back(std::move(node));
  return nodes_.back().outputs;
}

ValueId Graph::reshape(ValueId value, std::vector<std::int64_t> shape, std::string label) {
  const TensorType type{values_[value].type.type, std::move(shape)};
  check_shape(type);
  if (type.elements() != values_[value].type.elements()) {
    throw UsageError(fmt::format("{} does not have as many elements as {}", type.str(), values_[value].type.str()));
  }
  // Of views of a view, only the last one is left.
  if (const auto node = values_[value].node; node && nodes_[*node].is_view()) value = nodes_[*node].inputs[0];
  if (type == values_[value].type) return value;
  values_.push_back({.type = type, .node = nodes_.size(), .is_constant = values_[value].is_constant});
  nodes_.push_back({.op = "Reshape", .label = std::move(label), .inputs = {value}, .outputs = {values_.size() - 1}});
  return values_.size() - 1;
}

void Graph::add_output(std::string name, ValueId value) { outputs_.push_back({std::move(name), value}); }

std::string Graph::expression_of(const GraphNode& node) const {
  const text::Canonical canonical = text::canonical_of(*node.program);
  std::string text = canonical.text;
  for (const text::NamedSize& size : canonical.sizes) text += fmt::format(" {}={}", size.name, size.value);
  return text;
}

}  // namespace nestwright
