#include "graph/in_double.h"

#include <map>

#include "graph/program/edit.h"
#include "measure/check/elements.h"
#include "text/syntax/functions.h"

namespace nestwright {
namespace {

ir::Type double_of(ir::Type type) { return type.is_float() ? kFloat64 : type; }

/// Converts to float64 what is converted to a narrower type, and numbers, which are float32 where nothing else says
/// their type.
void convert_term(text::Term& term) {
  for_each_part(term, convert_term);
  if (std::holds_alternative<text::Real>(term.value)) {
    term = text::Term{.value = text::FunctionCall{kFloat64.str(), {term}}};
    return;
  }
  auto* const call = std::get_if<text::FunctionCall>(&term.value);
  const std::optional<ir::Type> type = call == nullptr ? std::nullopt : text::find_type(call->name);
  if (type) call->name = double_of(*type).str();
}

std::shared_ptr<const text::Program> program_in_double(const text::Program& program) {
  text::Program changed = program;
  for (text::TensorInfo& tensor : changed.tensors) tensor.type = double_of(tensor.type);
  for (text::Stage& stage : changed.stages) convert_term(stage.body);
  return std::make_shared<const text::Program>(checked(changed));
}

ValueId add_converted(Graph& graph, const GraphValue& value) {
  const TensorType type{double_of(value.type.type), value.type.shape};
  if (type == value.type) return graph.add_constant(type, *value.data, value.name);
  std::vector<double> elements(static_cast<std::size_t>(type.elements()));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    elements[i] = element_at(value.type.type, value.data->bytes.data(), static_cast<std::int64_t>(i));
  }
  return graph.add_constant(type, elements, value.name);
}

}  // namespace

Graph in_double(const Graph& graph) {
  Graph result;
  std::map<ValueId, ValueId> values;
  for (const GraphPort& input : graph.inputs()) {
    const TensorType& type = graph.type(input.value);
    values[input.value] = result.add_input(input.name, {double_of(type.type), type.shape});
  }
  const auto at = [&](ValueId old) {
    const auto known = values.find(old);
    return known != values.end() ? known->second : values[old] = add_converted(result, graph.value(old));
  };
  for (const GraphNode& old : graph.nodes()) {
    GraphNode node = old;
    for (ValueId& input : node.inputs) input = at(input);
    if (node.is_view()) {
      values[old.outputs[0]] = result.reshape(node.inputs[0], graph.type(old.outputs[0]).shape, node.label);
      continue;
    }
    node.program = program_in_double(*old.program);
    const std::vector<ValueId> results = result.add_node(std::move(node));
    for (std::size_t i = 0; i < results.size(); ++i) values[old.outputs[i]] = results[i];
  }
  for (const GraphPort& output : graph.outputs()) result.add_output(output.name, at(output.value));
  return result;
}

}  // namespace nestwright
