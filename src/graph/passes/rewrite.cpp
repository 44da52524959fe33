#include "graph/passes/rewrite.h"

#include <utility>

#include "graph/program/node_form.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

/// For each node whether an output needs it.
std::vector<bool> used_nodes(const Graph& graph) {
  std::vector<bool> is_used(graph.nodes().size());
  const auto use = [&](ValueId value) {
    if (const auto node = graph.value(value).node) is_used[*node] = true;
  };
  for (const GraphPort& output : graph.outputs()) use(output.value);
  for (std::size_t n = graph.nodes().size(); n-- > 0;) {
    if (!is_used[n]) continue;
    for (const ValueId input : graph.nodes()[n].inputs) use(input);
  }
  return is_used;
}

}  // namespace

GraphRewrite::GraphRewrite(const Graph& from) : from_(from) {
  for (const GraphPort& input : from.inputs()) values_[input.value] = to_.add_input(input.name, from.type(input.value));
}

ValueId GraphRewrite::at(ValueId old) {
  if (const auto known = values_.find(old); known != values_.end()) return known->second;
  const GraphValue& value = from_.value(old);
  check(value.data.has_value(), "a value is copied before it is read");
  return values_[old] = to_.add_constant(value.type, *value.data, value.name);
}

std::vector<ValueId> GraphRewrite::at(const std::vector<ValueId>& old) {
  std::vector<ValueId> values;
  for (const ValueId value : old) values.push_back(at(value));
  return values;
}

void GraphRewrite::replace(ValueId old, ValueId value) {
  check(to_.type(value) == from_.type(old), "a value is replaced by one of its type");
  values_[old] = value;
  if (to_.value(value).name.empty()) to_.set_name(value, from_.value(old).name);
}

void GraphRewrite::copy(std::size_t number) {
  GraphNode node = from_.nodes()[number];
  const std::vector<ValueId> old = node.outputs;
  if (node.is_view()) return replace(old[0], to_.reshape(at(node.inputs[0]), from_.type(old[0]).shape, node.label));
  node.inputs = at(node.inputs);
  add(std::move(node), old);
}

void GraphRewrite::add(GraphNode node, const std::vector<ValueId>& old) {
  const std::vector<ValueId> results = to_.add_node(std::move(node));
  check(results.size() == old.size(), "a node has as many results as it replaces");
  for (std::size_t i = 0; i < old.size(); ++i) replace(old[i], results[i]);
}

std::vector<ValueId> GraphRewrite::add_with_views(GraphNode node) {
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    node.inputs[i] = to_.reshape(node.inputs[i], node.program->find_tensor(input_name(node, i))->shape);
  }
  return to_.add_node(std::move(node));
}

void GraphRewrite::add_outputs() {
  for (const GraphPort& output : from_.outputs()) to_.add_output(output.name, at(output.value));
}

Graph GraphRewrite::finish() {
  add_outputs();
  const std::vector<bool> is_used = used_nodes(to_);
  GraphRewrite used(to_);
  for (std::size_t n = 0; n < is_used.size(); ++n) {
    if (is_used[n]) used.copy(n);
  }
  used.add_outputs();
  return std::move(used.to_);
}

std::vector<std::vector<std::size_t>> readers_of(const Graph& graph) {
  std::vector<std::vector<std::size_t>> readers(graph.values().size());
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    for (const ValueId input : graph.nodes()[n].inputs) {
      if (readers[input].empty() || readers[input].back() != n) readers[input].push_back(n);
    }
  }
  return readers;
}

std::vector<bool> outputs_of(const Graph& graph) {
  std::vector<bool> is_output(graph.values().size());
  for (const GraphPort& output : graph.outputs()) is_output[output.value] = true;
  return is_output;
}

}  // namespace nestwright
