#include "graph/program/placement.h"

#include <algorithm>
#include <string>

#include "graph/program/node_form.h"
#include "text/analysis/interval.h"

namespace nestwright {
namespace {

using text::Access;
using text::Stage;
using text::Term;

/// The elements of a step along the dimension before the axes from number `first` on.
std::int64_t step_of(const Stage& stage, std::size_t first) {
  std::int64_t elements = 1;
  for (std::size_t d = first; d < stage.axes.size(); ++d) elements *= stage.axes[d].extent;
  return elements;
}

/// Whether the indices of an access but the first are the stage's axes from number `first` on, and run over all of a
/// tensor of this shape.
bool reads_whole_rows(const Access& access, const Stage& stage, std::size_t first,
                      const std::vector<std::int64_t>& shape) {
  if (access.padding || shape.size() != stage.axes.size() - first + 1) return false;
  for (std::size_t d = 1; d < shape.size(); ++d) {
    const auto* axis = std::get_if<text::IndexValue>(&access.indices[d].value);
    const text::Axis& expected = stage.axes[first + d - 1];
    if (axis == nullptr || axis->name != expected.name || expected.extent != shape[d]) return false;
  }
  return true;
}

/// What is added to the first axis in the first index of an access that is otherwise in place and reads whole rows of a
/// tensor of this shape; nullopt if it is another access.
std::optional<std::int64_t> first_index_offset(const Access& access, const Stage& stage,
                                               const std::vector<std::int64_t>& shape) {
  if (stage.axes.empty() || !reads_whole_rows(access, stage, 1, shape)) return std::nullopt;
  const std::optional<text::Linear> first = text::linear_of(access.indices[0]);
  const std::map<std::string, std::int64_t> only_axis{{stage.axes[0].name, 1}};
  return first && first->coefficients == only_axis ? std::optional(first->constant) : std::nullopt;
}

/// c of the condition axis < c.
std::optional<std::int64_t> upper_bound(const Term& condition, const text::Axis& axis) {
  const auto* comparison = std::get_if<text::BinaryTerm>(&condition.value);
  if (comparison == nullptr || comparison->op != ir::BinaryOp::kLt) return std::nullopt;
  const auto* index = std::get_if<text::IndexValue>(&comparison->operands[0].value);
  const auto* bound = std::get_if<text::Integer>(&comparison->operands[1].value);
  const bool compares_axis = index != nullptr && index->name == axis.name && bound != nullptr;
  return compares_axis ? std::optional(bound->value) : std::nullopt;
}

/// The first index of an access of one row of a tensor of this shape, whose other indices are the stage's axes; nullopt
/// if it is another access.
std::optional<std::int64_t> row_of(const Access& access, const Stage& stage, const std::vector<std::int64_t>& shape) {
  if (!reads_whole_rows(access, stage, 0, shape)) return std::nullopt;
  const auto* row = std::get_if<text::Integer>(&access.indices[0].value);
  const bool is_inside = row != nullptr && row->value >= 0 && row->value < shape[0];
  return is_inside ? std::optional(row->value) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> part_offset(const GraphNode& node) {
  if (node.is_view() || !only_moves(node)) return std::nullopt;
  const Stage& stage = node.program->stages[0];
  const auto& access = std::get<Access>(stage.body.value);
  const std::vector<std::int64_t>& shape = node.program->find_tensor(access.tensor)->shape;
  if (const std::optional<std::int64_t> row = row_of(access, stage, shape)) return *row * step_of(stage, 0);
  const std::optional<std::int64_t> offset = first_index_offset(access, stage, shape);
  return offset ? std::optional(*offset * step_of(stage, 1)) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> concatenation_offsets(const GraphNode& node) {
  if (node.is_view() || !is_elementwise(node) || node.inputs.size() < 2) return std::nullopt;
  const Stage& stage = node.program->stages[0];
  if (stage.axes.empty()) return std::nullopt;
  std::vector<std::int64_t> offsets(node.inputs.size(), -1);
  std::int64_t begin = 0;
  for (const Term* rest = &stage.body; rest != nullptr;) {
    const auto* select = std::get_if<text::FunctionCall>(&rest->value);
    const bool is_last = select == nullptr || select->name != "select";
    const std::optional<std::int64_t> end =
        is_last ? stage.axes[0].extent : upper_bound(select->arguments[0], stage.axes[0]);
    const auto* access = std::get_if<Access>(is_last ? &rest->value : &select->arguments[1].value);
    if (!end || access == nullptr) return std::nullopt;
    const std::vector<std::int64_t>& shape = node.program->find_tensor(access->tensor)->shape;
    if (first_index_offset(*access, stage, shape) != -begin || shape[0] != *end - begin) return std::nullopt;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (input_name(node, i) != access->tensor) continue;
      if (offsets[i] >= 0) return std::nullopt;  // it is there twice
      offsets[i] = begin * step_of(stage, 1);
    }
    begin = *end;
    rest = is_last ? nullptr : &select->arguments[2];
  }
  const bool has_all = std::none_of(offsets.begin(), offsets.end(), [](std::int64_t offset) { return offset < 0; });
  return has_all ? std::optional(offsets) : std::nullopt;
}

bool is_placement(const GraphNode& node) { return part_offset(node) || concatenation_offsets(node); }

}  // namespace nestwright
