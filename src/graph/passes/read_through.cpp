#include <optional>
#include <set>

#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"
#include "graph/program/edit.h"
#include "graph/program/node_form.h"
#include "graph/program/placement.h"
#include "text/syntax/expression_error.h"

namespace nestwright {
namespace {

using text::Access;
using text::Term;

/// The read that a node of only_moves() consists of.
const Access& moved_access(const GraphNode& node) { return std::get<Access>(node.program->stages[0].body.value); }

/// Whether each index of the access is an axis of its own, plus a constant of at most 0: a padding, which keeps all
/// elements.
bool only_pads(const GraphNode& node) {
  const text::Stage& stage = node.program->stages[0];
  const Access& access = moved_access(node);
  const std::vector<std::int64_t>& source = node.program->find_tensor(access.tensor)->shape;
  if (access.indices.size() != stage.axes.size()) return false;
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    const Term& index = access.indices[d];
    std::int64_t before = 0;
    const Term* axis = &index;
    if (const auto* difference = std::get_if<text::BinaryTerm>(&index.value)) {
      const auto* number = std::get_if<text::Integer>(&difference->operands[1].value);
      if (difference->op != ir::BinaryOp::kSub || number == nullptr || number->value < 0) return false;
      before = number->value;
      axis = &difference->operands[0];
    }
    const auto* name = std::get_if<text::IndexValue>(&axis->value);
    if (name == nullptr || name->name != stage.axes[d].name) return false;
    if (stage.axes[d].extent < before + source[d]) return false;
  }
  return true;
}

/// Whether the node permutes the dimensions of its operand.
bool only_transposes(const GraphNode& node) {
  const text::Stage& stage = node.program->stages[0];
  const Access& access = moved_access(node);
  const std::vector<std::int64_t>& source = node.program->find_tensor(access.tensor)->shape;
  std::set<std::string> axes;
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    const auto* name = std::get_if<text::IndexValue>(&access.indices[d].value);
    if (name == nullptr || stage.find_axis(name->name)->extent != source[d]) return false;
    axes.insert(name->name);
  }
  return axes.size() == stage.axes.size() && !access.padding;
}

/// Whether the accesses of `tensor` in the program can read through the node that moves it.
bool can_read_through(const text::Program& program, const std::string& tensor, const GraphNode& mover) {
  const Access& moved = moved_access(mover);
  bool can = true;
  for (const text::Stage& stage : program.stages) {
    text::for_each_access(stage.body, [&](const Access& access, const Term&, bool) {
      if (access.tensor != tensor || !access.padding) return;
      can = can && (only_transposes(mover) || (moved.padding == access.padding && only_pads(mover)));
    });
  }
  return can;
}

/// Lets the program read the source of the mover, whose tensor it then calls `source`.
void read_source(text::Program& program, const std::string& tensor, const GraphNode& mover, const std::string& source) {
  const text::Stage& stage = mover.program->stages[0];
  for (text::Stage& reader : program.stages) {
    change_accesses(reader.body, [&](Access& access, Term& whole) {
      if (access.tensor != tensor) return;
      std::map<std::string, Term> indices;
      for (std::size_t d = 0; d < stage.axes.size(); ++d) indices[stage.axes[d].name] = access.indices[d];
      const std::optional<double> padding = access.padding;
      whole = substitute_axes(stage.body, indices);
      auto& read = std::get<Access>(whole.value);
      read.tensor = source;
      if (padding) read.padding = padding;
    });
  }
  text::TensorInfo info = *mover.program->find_tensor(moved_access(mover).tensor);
  info.name = source;
  program.tensors.push_back(std::move(info));
}

/// The node with its operands read through the nodes that only move them, one after the other.
GraphNode read_through_of(const Graph& graph, const GraphNode& node) {
  GraphNode current = node;
  for (std::size_t i = 0; i < current.inputs.size();) {
    const auto producer = graph.value(current.inputs[i]).node;
    const bool is_constant = graph.value(current.inputs[i]).is_constant;  // it is moved once, whoever reads it
    if (is_constant || !producer || !only_moves(graph.nodes()[*producer]) || part_offset(graph.nodes()[*producer])) {
      ++i;
      continue;
    }
    const GraphNode& mover = graph.nodes()[*producer];
    const std::string tensor = input_name(current, i);
    if (!can_read_through(*current.program, tensor, mover)) {
      ++i;
      continue;
    }
    text::Program program = *current.program;
    const std::string source = tensor + "_source";
    read_source(program, tensor, mover, source);
    try {
      current = changed_node(current, std::move(program), {{source, mover.inputs[0]}});
      i = 0;
    } catch (const text::ExpressionError&) {
      ++i;
    }
  }
  return current;
}

}  // namespace

Graph read_through(const Graph& graph) {
  GraphRewrite rewrite(graph);
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const GraphNode& node = graph.nodes()[n];
    if (node.is_view() || graph.value(node.outputs[0]).is_constant || concatenation_offsets(node)) {
      rewrite.copy(n);
      continue;
    }
    GraphNode changed = read_through_of(graph, node);
    changed.inputs = rewrite.at(changed.inputs);
    rewrite.add(std::move(changed), node.outputs);
  }
  return rewrite.finish();
}

}  // namespace nestwright
