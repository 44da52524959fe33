#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"
#include "graph/program/edit.h"
#include "graph/program/node_form.h"
#include "text/syntax/expression_error.h"

namespace nestwright {
namespace {

using Shape = std::vector<std::int64_t>;

/// Consecutive dimensions of one shape that have as many elements as consecutive dimensions of another.
struct Correspondence {
  std::size_t from_begin, from_end, to_begin, to_end;
};

/// How the dimensions of two shapes of equally many elements correspond, in groups that are as small as possible.
std::vector<Correspondence> correspondences(const Shape& from, const Shape& to) {
  std::vector<Correspondence> groups;
  std::size_t f = 0, t = 0;
  while (f < from.size() || t < to.size()) {
    Correspondence group{f, f, t, t};
    std::int64_t a = 1, b = 1;
    do {
      if ((a <= b && f < from.size()) || t == to.size()) {
        a *= from[f++];
      } else {
        b *= to[t++];
      }
    } while (a != b);
    group.from_end = f;
    group.to_end = t;
    groups.push_back(group);
  }
  return groups;
}

bool all_ones(const Shape& shape, std::size_t begin, std::size_t end) {
  return std::all_of(shape.begin() + static_cast<std::ptrdiff_t>(begin),
                     shape.begin() + static_cast<std::ptrdiff_t>(end), [](std::int64_t extent) { return extent == 1; });
}

/// The shape that an operand, whose shape is broadcast to `from`, has where it is broadcast to `to`. nullopt: there is
/// none.
std::optional<Shape> corresponding(const Shape& operand, const Shape& from, const Shape& to) {
  Shape result(to.size(), 1);
  for (const Correspondence& group : correspondences(from, to)) {
    if (all_ones(operand, group.from_begin, group.from_end)) continue;
    for (std::size_t d = group.from_begin; d < group.from_end; ++d) {
      if (operand[d] != from[d]) return std::nullopt;
    }
    for (std::size_t d = group.to_begin; d < group.to_end; ++d) result[d] = to[d];
  }
  return result;
}

/// The shape with as many dimensions as the statement has axes in which an access reads its tensor: an extent at each
/// axis that is an index, else 1. nullopt if that is no view of the tensor.
std::optional<Shape> broadcast_shape_of(const text::Access& access, const text::Stage& stage, const Shape& shape) {
  Shape broadcast(stage.axes.size(), 1);
  std::size_t next = 0;  // axes are in order
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    const auto* name = std::get_if<text::IndexValue>(&access.indices[d].value);
    const auto* number = std::get_if<text::Integer>(&access.indices[d].value);
    if (shape[d] == 1 && ((number != nullptr && number->value == 0) || name != nullptr)) continue;
    while (name != nullptr && next < stage.axes.size() && stage.axes[next].name != name->name) ++next;
    if (name == nullptr || next == stage.axes.size() || stage.axes[next].extent != shape[d]) return std::nullopt;
    broadcast[next++] = shape[d];
  }
  return access.padding ? std::nullopt : std::optional(broadcast);
}

/// For each input the shape in which the node, which is elementwise, reads it. nullopt if one is not read as a view.
std::optional<std::vector<Shape>> operand_shapes(const GraphNode& node) {
  const text::Stage& stage = node.program->stages[0];
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    std::optional<Shape> shape;
    bool is_view = true;
    text::for_each_access(stage.body, [&](const text::Access& access, const text::Term&, bool) {
      if (access.tensor != input_name(node, i)) return;
      const auto read = broadcast_shape_of(access, stage, node.program->find_tensor(access.tensor)->shape);
      is_view = is_view && read && (!shape || *shape == *read);
      shape = read;
    });
    if (!is_view || !shape) return std::nullopt;
    shapes.push_back(*shape);
  }
  return shapes;
}

/// Whether an axis is used as a number, whose meaning would change.
bool uses_axes_as_numbers(const text::Term& term) {
  if (std::holds_alternative<text::IndexValue>(term.value)) return true;
  bool uses = false;
  const auto any = [&](const std::vector<text::Term>& terms) {
    for (const text::Term& t : terms) uses = uses || uses_axes_as_numbers(t);
  };
  if (const auto* negation = std::get_if<text::Negation>(&term.value)) any(negation->operand);
  if (const auto* complement = std::get_if<text::Complement>(&term.value)) any(complement->operand);
  if (const auto* binary = std::get_if<text::BinaryTerm>(&term.value)) any(binary->operands);
  if (const auto* call = std::get_if<text::FunctionCall>(&term.value)) any(call->arguments);
  return uses;
}

/// The node for results of the shape `to`: operands of the shapes `operands` are broadcast to it.
GraphNode reshaped_node(const GraphNode& node, const Shape& to, const std::vector<Shape>& operands) {
  text::Program program = *node.program;
  text::Stage& stage = program.stages[0];
  stage.axes.clear();
  for (std::size_t d = 0; d < to.size(); ++d) stage.axes.push_back({fmt::format("i{}", d), to[d]});
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const std::string& name = input_name(node, i);
    for (text::TensorInfo& tensor : program.tensors) {
      if (tensor.name == name) tensor.shape = operands[i];
    }
    change_accesses(stage.body, [&](text::Access& access, text::Term&) {
      if (access.tensor != name) return;
      access.indices.clear();
      for (std::size_t d = 0; d < to.size(); ++d) {
        const bool is_broadcast = operands[i][d] == 1;
        access.indices.push_back(is_broadcast ? text::Term{.value = text::Integer{0}}
                                              : text::Term{.value = text::IndexValue{stage.axes[d].name}});
      }
    });
  }
  return changed_node(node, std::move(program));
}

class ViewSinker {
 public:
  explicit ViewSinker(const Graph& graph) : graph_(graph), rewrite_(graph), readers_(readers_of(graph)) {}

  Graph run() {
    for (std::size_t n = 0; n < graph_.nodes().size(); ++n) {
      if (!sink_view_of(n)) rewrite_.copy(n);
    }
    return rewrite_.finish();
  }

 private:
  /// The value of the new graph behind the view that gives `value` its shape; nullopt if it is no view, or if others
  /// read it, too.
  std::optional<ValueId> behind_view(ValueId value) {
    const auto producer = rewrite_.to().value(rewrite_.at(value)).node;
    if (!producer || readers_[value].size() != 1) return std::nullopt;
    const GraphNode& view = rewrite_.to().nodes()[*producer];
    if (!view.is_view() || rewrite_.to().value(view.inputs[0]).is_constant) return std::nullopt;
    return view.inputs[0];
  }

  bool sink_view_of(std::size_t number) {
    const GraphNode& node = graph_.nodes()[number];
    const bool is_constant = graph_.value(node.outputs[0]).is_constant;
    if (is_constant || !is_elementwise(node)) return false;
    const std::optional<std::vector<Shape>> operands = operand_shapes(node);
    if (!operands) return false;
    if (uses_axes_as_numbers(node.program->stages[0].body)) return false;
    const Shape& shape = graph_.type(node.outputs[0]).shape;
    for (const ValueId input : node.inputs) {
      if (graph_.type(input).shape != shape) continue;
      const std::optional<ValueId> source = behind_view(input);
      if (!source) continue;
      Shape to = rewrite_.to().type(*source).shape;
      std::erase(to, 1);  // as everywhere behind drop_units
      if (to != graph_.type(node.outputs[0]).shape && rebuild(node, *operands, to)) return true;
    }
    return false;
  }

  bool rebuild(const GraphNode& node, const std::vector<Shape>& shapes, const Shape& to) {
    const Shape from = graph_.type(node.outputs[0]).shape;
    std::vector<Shape> operands;
    for (const Shape& shape : shapes) {
      const std::optional<Shape> operand = corresponding(shape, from, to);
      if (!operand) return false;
      operands.push_back(*operand);
    }
    try {
      GraphNode reshaped = reshaped_node(node, to, operands);
      std::vector<ValueId> inputs;
      for (const ValueId input : reshaped.inputs) {
        const auto at = std::find(node.inputs.begin(), node.inputs.end(), input) - node.inputs.begin();
        inputs.push_back(rewrite_.to().reshape(source_of(rewrite_.at(input)), operands[static_cast<std::size_t>(at)]));
      }
      reshaped.inputs = inputs;
      const ValueId result = rewrite_.to().add_node(std::move(reshaped))[0];
      rewrite_.replace(node.outputs[0], rewrite_.to().reshape(result, from));
      return true;
    } catch (const text::ExpressionError&) {
      return false;
    }
  }

  /// The value without the views that it was made by.
  ValueId source_of(ValueId value) {
    while (const auto producer = rewrite_.to().value(value).node) {
      const GraphNode& view = rewrite_.to().nodes()[*producer];
      if (!view.is_view()) break;
      value = view.inputs[0];
    }
    return value;
  }

  const Graph& graph_;
  GraphRewrite rewrite_;
  std::vector<std::vector<std::size_t>> readers_;
};

}  // namespace

Graph sink_views(const Graph& graph) { return ViewSinker(graph).run(); }

}  // namespace nestwright
