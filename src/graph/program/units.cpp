#include "graph/program/units.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "graph/program/edit.h"
#include "text/syntax/expression_error.h"

namespace nestwright {
namespace {

using ir::BinaryOp;
using text::Access;
using text::Stage;
using text::Term;

Term zero() { return Term{.value = text::Integer{0}}; }

bool is_integer(const Term& term, std::int64_t value) {
  const auto* integer = std::get_if<text::Integer>(&term.value);
  return integer != nullptr && integer->value == value;
}

/// The dimensions of each tensor that go, by its name.
using Dropped = std::map<std::string, std::vector<bool>>;

/// Lets axes of one element be 0.
void set_unit_axes(Stage& stage) {
  std::map<std::string, Term> zeros;
  for (const std::vector<text::Axis>* axes : {&stage.axes, &stage.reduce_axes}) {
    for (const text::Axis& axis : *axes) {
      if (axis.extent == 1) zeros[axis.name] = zero();
    }
  }
  stage.body = folded(substitute_axes(std::move(stage.body), zeros));
}

Dropped droppable(const text::Program& program) {
  Dropped dropped;
  for (const text::TensorInfo& tensor : program.tensors) {
    std::vector<bool>& dims = dropped[tensor.name];
    for (const std::int64_t extent : tensor.shape) dims.push_back(extent == 1);
  }
  for (const Stage& stage : program.stages) {
    text::for_each_access(stage.body, [&](const Access& access, const Term&, bool) {
      for (std::size_t d = 0; access.padding && d < access.indices.size(); ++d) {
        if (!is_integer(access.indices[d], 0)) dropped[access.tensor][d] = false;
      }
    });
  }
  return dropped;
}

template <class T>
void erase_marked(std::vector<T>& items, const std::vector<bool>& marked) {
  std::vector<T> kept;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!marked[i]) kept.push_back(std::move(items[i]));
  }
  items = std::move(kept);
}

/// The reduce axes of one element go; a reduction without axes is its term.
void drop_reduce_axes(Stage& stage) {
  if (!stage.reduction || stage.reduction == text::ReductionKind::kArgmax) return;
  std::erase_if(stage.reduce_axes, [](const text::Axis& axis) { return axis.extent == 1; });
  if (stage.reduce_axes.empty()) stage.reduction.reset();
}

}  // namespace

Term folded(Term term) {
  for_each_part(term, [](Term& part) { part = folded(std::move(part)); });
  auto* const binary = std::get_if<text::BinaryTerm>(&term.value);
  if (binary == nullptr) return term;
  const Term &a = binary->operands[0], &b = binary->operands[1];
  const auto* x = std::get_if<text::Integer>(&a.value);
  const auto* y = std::get_if<text::Integer>(&b.value);
  const auto number = [](std::int64_t value) { return Term{.value = text::Integer{value}}; };
  const bool are_numbers = x != nullptr && y != nullptr;
  if (binary->op == BinaryOp::kAdd) {
    if (are_numbers) return number(x->value + y->value);
    if (is_integer(a, 0)) return b;
    if (is_integer(b, 0)) return a;
  } else if (binary->op == BinaryOp::kSub) {
    if (are_numbers && x->value >= y->value) return number(x->value - y->value);
    if (is_integer(b, 0)) return a;
  } else if (binary->op == BinaryOp::kMul && are_numbers) {
    return number(x->value * y->value);
  }
  return term;
}

std::optional<GraphNode> node_without_units(const GraphNode& node) {
  try {
    GraphNode smaller = changed_node(node, without_units(*node.program));
    return smaller.inputs.empty() ? std::nullopt : std::optional(std::move(smaller));
  } catch (const text::ExpressionError&) {
    return std::nullopt;
  }
}

text::Program without_units(const text::Program& program) {
  text::Program result = program;
  for (Stage& stage : result.stages) {
    // The argument of an argmax is an axis, even of one element.
    if (stage.reduction != text::ReductionKind::kArgmax) set_unit_axes(stage);
  }
  const Dropped dropped = droppable(result);
  for (Stage& stage : result.stages) {
    const std::vector<bool>& own = dropped.at(result.tensors[stage.tensor].name);
    const std::vector<std::string> used = axes_of(stage.body);
    for (std::size_t d = 0; d < own.size(); ++d) {
      const bool is_value = std::ranges::find(used, stage.axes[d].name) != used.end();
      if (own[d] && is_value) return program;  // an argmax of this kind stays as it is
    }
    erase_marked(stage.axes, own);
    drop_reduce_axes(stage);
    change_accesses(stage.body,
                    [&](Access& access, Term&) { erase_marked(access.indices, dropped.at(access.tensor)); });
  }
  for (text::TensorInfo& tensor : result.tensors) erase_marked(tensor.shape, dropped.at(tensor.name));
  return result;
}

}  // namespace nestwright
