#include "graph/program/node_form.h"

#include <algorithm>

namespace nestwright {

namespace {

const std::string& parameter_name(const GraphNode& node, std::size_t i) {
  return node.program->tensors[node.program->parameters()[i]].name;
}

bool is_in_place(const text::Access& access, const text::Stage& stage, const std::vector<std::int64_t>& shape) {
  if (access.padding || access.indices.size() != stage.axes.size()) return false;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto* axis = std::get_if<text::IndexValue>(&access.indices[d].value);
    const auto* number = std::get_if<text::Integer>(&access.indices[d].value);
    const bool is_axis = axis != nullptr && axis->name == stage.axes[d].name;
    const bool is_only = number != nullptr && number->value == 0 && shape[d] == 1 && stage.axes[d].extent == 1;
    if (!is_axis && !is_only) return false;
  }
  return true;
}

}  // namespace

const std::string& input_name(const GraphNode& node, std::size_t i) { return parameter_name(node, i); }
const std::string& output_name(const GraphNode& node, std::size_t i) {
  return parameter_name(node, node.inputs.size() + i);
}

bool is_kernel(const Graph& graph, const GraphNode& node) {
  return !node.is_view() && !graph.value(node.outputs[0]).is_constant;
}

bool has_no_reduction(const GraphNode& node) {
  return !node.is_view() && std::none_of(node.program->stages.begin(), node.program->stages.end(),
                                         [](const text::Stage& stage) { return stage.reduction.has_value(); });
}

const std::string& label_or_op(const GraphNode& node) { return node.label.empty() ? node.op : node.label; }

bool is_elementwise(const GraphNode& node) { return has_no_reduction(node) && node.program->stages.size() == 1; }

bool only_moves(const GraphNode& node) {
  if (!is_elementwise(node) || node.inputs.size() != 1) return false;
  const text::Term& body = node.program->stages[0].body;
  std::size_t accesses = 0;  // one, unless an index is an element itself
  text::for_each_access(body, [&](const text::Access&, const text::Term&, bool) { ++accesses; });
  return accesses == 1 && std::holds_alternative<text::Access>(body.value);
}

bool reads_in_place(const text::Program& program, const std::string& tensor) {
  const std::vector<std::int64_t>& shape = program.find_tensor(tensor)->shape;
  bool in_place = true;
  for (const text::Stage& stage : program.stages) {
    text::for_each_access(stage.body, [&](const text::Access& access, const text::Term&, bool) {
      if (access.tensor != tensor) return;
      in_place = in_place && !stage.reduction && is_in_place(access, stage, shape);
    });
  }
  return in_place;
}

double multiply_adds(const text::Program& program) {
  double total = 0;
  for (const text::Stage& stage : program.stages) {
    if (stage.reduction != text::ReductionKind::kSum) continue;
    double terms = 1;
    for (const text::Axis& axis : stage.axes) terms *= static_cast<double>(axis.extent);
    for (const text::Axis& axis : stage.reduce_axes) terms *= static_cast<double>(axis.extent);
    total += terms;
  }
  return total;
}

}  // namespace nestwright
