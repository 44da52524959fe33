#include "graph/grouping/row_chains.h"

#include <algorithm>
#include <set>
#include <string>

#include "graph/program/edit.h"
#include "graph/program/node_form.h"

namespace nestwright {
namespace {

using text::Access;
using text::Stage;

const text::Axis* axis_at(const Stage& stage, const text::Term& index) {
  const auto* name = std::get_if<text::IndexValue>(&index.value);
  return name == nullptr ? nullptr : stage.find_axis(name->name);
}

bool is_reduced(const Stage& stage, const text::Axis& axis) {
  return std::ranges::any_of(stage.reduce_axes, [&](const text::Axis& reduced) { return reduced.name == axis.name; });
}

/// Whether the first indices of the access are the first axes of the statement, and the last one runs over the whole
/// last dimension.
bool reads_row(const Access& access, const Stage& stage, const std::vector<std::int64_t>& shape) {
  const std::size_t rows = shape.size() - 1;
  if (access.padding || stage.axes.size() < rows) return false;
  for (std::size_t d = 0; d < rows; ++d) {
    const text::Axis* const axis = axis_at(stage, access.indices[d]);
    if (axis == nullptr || axis->name != stage.axes[d].name || axis->extent != shape[d]) return false;
  }
  const text::Axis* const last = axis_at(stage, access.indices[rows]);
  return last != nullptr && last->extent == shape[rows];
}

/// Whether the statement sums up products of two tensors, each of which lacks an axis of the result: its elements serve
/// several results.
bool is_product_of_matrices(const Stage& stage) {
  const auto* product = std::get_if<text::BinaryTerm>(&stage.body.value);
  if (stage.reduction != text::ReductionKind::kSum || product == nullptr || product->op != ir::BinaryOp::kMul) {
    return false;
  }
  return std::ranges::all_of(product->operands, [&](const text::Term& operand) {
    const auto* access = std::get_if<Access>(&operand.value);
    if (access == nullptr || access->padding) return false;
    const std::vector<std::string> used = axes_of(operand);
    return std::ranges::any_of(stage.axes, [&](const text::Axis& axis) {
      return axis.extent > 1 && std::ranges::find(used, axis.name) == used.end();
    });
  });
}

/// Calls `visit` for each read of input number `i`.
template <class F>
void for_each_read(const GraphNode& node, std::size_t i, const F& visit) {
  for (const Stage& stage : node.program->stages) {
    text::for_each_access(stage.body, [&](const Access& access, const text::Term&, bool) {
      if (access.tensor == input_name(node, i)) visit(access, stage);
    });
  }
}

std::optional<std::size_t> input_of(const GraphNode& node, ValueId value) {
  if (std::ranges::count(node.inputs, value) != 1) return std::nullopt;
  return static_cast<std::size_t>(std::ranges::find(node.inputs, value) - node.inputs.begin());
}

/// Whether all statements compute, and read of computed tensors, the rows of these extents alone.
bool computes_rows(const text::Program& program, std::span<const std::int64_t> rows) {
  return std::ranges::all_of(program.stages, [&](const Stage& stage) {
    if (stage.axes.size() < rows.size()) return false;
    for (std::size_t d = 0; d < rows.size(); ++d) {
      if (stage.axes[d].extent != rows[d]) return false;
    }
    bool is_row = true;
    text::for_each_access(stage.body, [&](const Access& access, const text::Term&, bool) {
      if (program.find_tensor(access.tensor)->is_input) return;
      for (std::size_t d = 0; d < rows.size() && is_row; ++d) {
        const text::Axis* const axis = d < access.indices.size() ? axis_at(stage, access.indices[d]) : nullptr;
        is_row = axis != nullptr && axis->name == stage.axes[d].name;
      }
    });
    return is_row;
  });
}

}  // namespace

bool RowChains::is_product(std::size_t number) const {
  const GraphNode& node = graph_.nodes()[number];
  if (node.is_view() || node.outputs.size() != 1 || graph_.value(node.outputs[0]).is_constant) return false;
  const auto reduces = [](const Stage& stage) { return stage.reduction.has_value(); };
  const std::vector<Stage>& stages = node.program->stages;
  if (std::ranges::count_if(stages, reduces) != 1) return false;
  return is_product_of_matrices(*std::ranges::find_if(stages, reduces));
}

bool RowChains::reduces_rows(std::size_t number, ValueId value) const {
  const GraphNode& node = graph_.nodes()[number];
  const std::vector<std::int64_t>& shape = graph_.type(value).shape;
  if (node.is_view() || node.outputs.size() != 1 || shape.size() < 2 || is_product(number)) return false;
  const auto input = input_of(node, value);
  if (!input || !computes_rows(*node.program, std::span(shape).first(shape.size() - 1))) return false;
  bool reads_rows = true, reduces = false;
  for_each_read(node, *input, [&](const Access& access, const Stage& stage) {
    reads_rows = reads_rows && reads_row(access, stage, shape);
    reduces = reduces || (reads_rows && is_reduced(stage, *axis_at(stage, access.indices.back())));
  });
  return reads_rows && reduces;
}

bool RowChains::sums_rows(std::size_t number, ValueId value) const {
  const GraphNode& node = graph_.nodes()[number];
  if (!is_product(number)) return false;
  const auto input = input_of(node, value);
  if (!input) return false;
  std::size_t reads = 0;
  bool sums = true;
  for_each_read(node, *input, [&](const Access& access, const Stage& stage) {
    ++reads;
    std::set<std::string> distinct;
    for (std::size_t d = 0; d < access.indices.size() && sums; ++d) {
      const text::Axis* const axis = axis_at(stage, access.indices[d]);
      const bool is_last = d + 1 == access.indices.size();
      sums = axis != nullptr && is_reduced(stage, *axis) == is_last && distinct.insert(axis->name).second &&
             axis->extent == graph_.type(value).shape[d];
    }
  });
  return sums && reads == 1;
}

std::optional<std::size_t> RowChains::only_reader(std::size_t node) const {
  const std::vector<ValueId>& outputs = graph_.nodes()[node].outputs;
  if (outputs.size() != 1 || is_output_[outputs[0]] || graph_.value(outputs[0]).is_constant) return std::nullopt;
  const std::vector<std::size_t>& readers = readers_[outputs[0]];
  return readers.size() == 1 ? std::optional(readers[0]) : std::nullopt;
}

std::optional<std::size_t> RowChains::reducer_of(std::size_t node) const {
  if (!is_product(node)) return std::nullopt;
  const auto reader = only_reader(node);
  return reader && reduces_rows(*reader, graph_.nodes()[node].outputs[0]) ? reader : std::nullopt;
}

std::optional<std::size_t> RowChains::product_of(std::size_t node) const {
  const auto reader = only_reader(node);
  return reader && sums_rows(*reader, graph_.nodes()[node].outputs[0]) ? reader : std::nullopt;
}

}  // namespace nestwright
