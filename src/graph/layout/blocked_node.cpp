#include "graph/layout/blocked_node.h"

#include <set>
#include <utility>

#include "graph/layout/split_index.h"
#include "graph/program/edit.h"
#include "graph/program/linear_form.h"
#include "graph/program/node_form.h"
#include "graph/program/placement.h"
#include "text/syntax/expression_error.h"

namespace nestwright {
namespace {

using text::Access;
using text::Axis;
using text::Stage;
using text::Term;
using Part = DividedDimension::Part;

std::set<std::string> constants_of(const Graph& graph, const GraphNode& node) {
  std::set<std::string> constants;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (graph.value(node.inputs[i]).is_constant) constants.insert(input_name(node, i));
  }
  return constants;
}

Term axis_term(const std::string& axis) { return Term{.value = text::IndexValue{axis}}; }
Term number_term(std::int64_t value) { return Term{.value = text::Integer{value}}; }

class StageBlocker {
 public:
  StageBlocker(const text::Program& program, const ChannelSplit& split, std::size_t stage)
      : program_(program), split_(split), axes_(split.axes[stage]), old_(program.stages[stage]) {}

  Stage run() {
    Stage stage = old_;
    stage.axes = divided_axes(split_.tensors.at(program_.tensors[old_.tensor].name));
    stage.reduce_axes.clear();
    for (const Axis& axis : old_.reduce_axes) {
      const bool is_divided = axes_.contains(axis.name);
      stage.reduce_axes.push_back(is_divided ? part_of(axis, Part::kBlocks) : axis);
      if (is_divided) stage.reduce_axes.push_back(part_of(axis, Part::kLanes));
    }
    std::map<std::string, Term> sums;  // block * c_block + c_lane for c
    for (const std::string& axis : axes_) {
      Term first = binary_term(ir::BinaryOp::kMul, number_term(split_.block), axis_term(block_axis(axis)));
      sums[axis] = binary_term(ir::BinaryOp::kAdd, std::move(first), axis_term(lane_axis(axis)));
    }
    divide_comparisons(stage.body);
    change_accesses(stage.body, [&](Access& access, Term&) { divide_indices(access); });
    stage.body = substitute_axes(std::move(stage.body), sums);
    return stage;
  }

 private:
  Axis part_of(const Axis& axis, Part part) const {
    const bool is_lane = part == Part::kLanes;
    return {.name = is_lane ? lane_axis(axis.name) : block_axis(axis.name),
            .extent = is_lane ? split_.block : axis.extent / split_.block,
            .is_part = axis.is_part};
  }

  std::vector<Axis> divided_axes(const DividedTensor& tensor) const {
    std::vector<Axis> axes;
    for (const DividedDimension& dimension : tensor) {
      const Axis& axis = old_.axes[dimension.of];
      axes.push_back(dimension.part == Part::kWhole ? axis : part_of(axis, dimension.part));
    }
    return axes;
  }

  void divide_indices(Access& access) const {
    std::vector<Term> indices;
    for (const DividedDimension& dimension : split_.tensors.at(access.tensor)) {
      const Term& index = access.indices[dimension.of];
      if (dimension.part == Part::kWhole) {
        indices.push_back(index);
        continue;
      }
      SplitIndex parts = *split_index(index, old_, split_.block);
      indices.push_back(std::move(dimension.part == Part::kBlocks ? parts.block : parts.lane));
    }
    access.indices = std::move(indices);
  }

  /// c < 32 is c_block < 2 in blocks of 16: so parts of concatenations are found to be placed one after the other.
  void divide_comparisons(Term& term) const {
    for_each_part(term, [&](Term& part) { divide_comparisons(part); });
    auto* const binary = std::get_if<text::BinaryTerm>(&term.value);
    if (binary == nullptr || (binary->op != ir::BinaryOp::kLt && binary->op != ir::BinaryOp::kGe)) return;
    auto* const axis = std::get_if<text::IndexValue>(&binary->operands[0].value);
    auto* const bound = std::get_if<text::Integer>(&binary->operands[1].value);
    if (axis == nullptr || bound == nullptr || !axes_.contains(axis->name) || bound->value % split_.block != 0) return;
    axis->name = block_axis(axis->name);
    bound->value /= split_.block;
  }

  const text::Program& program_;
  const ChannelSplit& split_;
  const std::set<std::string>& axes_;
  const Stage& old_;
};

}  // namespace

std::optional<BlockedNode> blocked_node(const Graph& graph, const GraphNode& node, int block) {
  text::Program program = *node.program;
  std::size_t next_axis = 0;
  rename_axes(program, "i", next_axis);
  std::optional<ChannelSplit> split = split_channels(program, constants_of(graph, node), block);
  if (!split) return std::nullopt;
  text::Program blocked = program;
  for (std::size_t s = 0; s < program.stages.size(); ++s) blocked.stages[s] = StageBlocker(program, *split, s).run();
  for (text::TensorInfo& tensor : blocked.tensors) {
    tensor.shape = divided_shape(split->tensors.at(tensor.name), tensor.shape, block);
  }
  try {
    BlockedNode result{changed_node(node, std::move(blocked)), std::move(*split)};
    if (is_placement(node) && !is_placement(result.node)) return std::nullopt;
    return result;
  } catch (const text::ExpressionError&) {
    return std::nullopt;
  }
}

}  // namespace nestwright
