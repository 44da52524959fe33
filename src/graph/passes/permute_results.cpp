#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"
#include "graph/program/edit.h"
#include "graph/program/node_form.h"

namespace nestwright {
namespace {

/// For each dimension of what a node transposes, the dimension of the result that it becomes; nullopt for another node,
/// and where the last dimension becomes another: it would be stored element by element.
std::optional<std::vector<std::size_t>> transposition_of(const GraphNode& node) {
  if (node.is_view() || !only_moves(node)) return std::nullopt;
  const text::Stage& stage = node.program->stages[0];
  const auto& access = std::get<text::Access>(stage.body.value);
  if (access.padding || access.indices.size() != stage.axes.size()) return std::nullopt;
  const std::vector<std::int64_t>& shape = node.program->find_tensor(access.tensor)->shape;
  std::vector<std::size_t> dimensions;
  std::set<std::size_t> distinct;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto* index = std::get_if<text::IndexValue>(&access.indices[d].value);
    const text::Axis* axis = index != nullptr ? stage.find_axis(index->name) : nullptr;
    if (axis == nullptr || axis->extent != shape[d]) return std::nullopt;
    dimensions.push_back(static_cast<std::size_t>(axis - stage.axes.data()));
    distinct.insert(dimensions.back());
  }
  const bool keeps_last = !dimensions.empty() && dimensions.back() == dimensions.size() - 1;
  return keeps_last && distinct.size() == dimensions.size() ? std::optional(dimensions) : std::nullopt;
}

/// The elements of `from` at the places `to`.
template <class T>
std::vector<T> permuted(const std::vector<T>& from, const std::vector<std::size_t>& to) {
  std::vector<T> result(from.size());
  for (std::size_t d = 0; d < from.size(); ++d) result[to[d]] = from[d];
  return result;
}

/// The node with the dimensions of its output number `output` permuted; nullopt if another statement reads it.
std::optional<GraphNode> with_permuted(const GraphNode& node, std::size_t output, const std::vector<std::size_t>& to) {
  text::Program program = *node.program;
  const std::string& name = output_name(node, output);
  if (count_reads(program, name) > 0) return std::nullopt;
  const auto tensor = std::ranges::find(program.tensors, name, &text::TensorInfo::name);
  tensor->shape = permuted(tensor->shape, to);
  for (text::Stage& stage : program.stages) {
    if (&program.tensors[stage.tensor] == &*tensor) stage.axes = permuted(stage.axes, to);
  }
  return changed_node(node, std::move(program));
}

}  // namespace

Graph permute_results(const Graph& graph) {
  const std::vector<std::vector<std::size_t>> readers = readers_of(graph);
  const std::vector<bool> is_output = outputs_of(graph);
  std::map<std::size_t, GraphNode> changed;  // by the number of the node
  std::map<ValueId, ValueId> stands_for;     // results of changed nodes: what they are in the new order
  std::set<std::size_t> gone;                // transpositions
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const auto to = transposition_of(graph.nodes()[n]);
    if (!to || graph.value(graph.nodes()[n].outputs[0]).is_constant) continue;
    const ValueId source = graph.nodes()[n].inputs[0];
    const auto producer = graph.value(source).node;
    if (!producer || readers[source].size() != 1 || is_output[source] || gone.contains(*producer)) continue;
    const GraphNode& node = changed.contains(*producer) ? changed.at(*producer) : graph.nodes()[*producer];
    if (node.is_view()) continue;
    const auto at = std::ranges::find(node.outputs, source);
    std::optional<GraphNode> made = with_permuted(node, static_cast<std::size_t>(at - node.outputs.begin()), *to);
    if (!made) continue;
    changed.insert_or_assign(*producer, std::move(*made));
    stands_for[source] = graph.nodes()[n].outputs[0];
    gone.insert(n);
  }

  GraphRewrite rewrite(graph);
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const auto found = changed.find(n);
    if (found == changed.end()) {
      if (!gone.contains(n)) rewrite.copy(n);
      continue;
    }
    GraphNode node = std::move(found->second);
    std::vector<ValueId> old = node.outputs;
    for (ValueId& output : old) output = stands_for.contains(output) ? stands_for.at(output) : output;
    node.inputs = rewrite.at(node.inputs);
    rewrite.add(std::move(node), old);
  }
  return rewrite.finish();
}

}  // namespace nestwright
