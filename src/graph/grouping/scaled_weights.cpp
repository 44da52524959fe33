// A tensor whose channels are scaled, as squeeze and excite does, and that one convolution reads: the scales multiply
// the weights of the convolution, of which there are few, and the scaled tensor is not stored.
//
//   Z[c,y,x]=X[c,y,x]*S[c];  Y[o,y,x]=sum(c,Z[c,y,x]*W[o,c])   ->   V[o,c]=W[o,c]*S[c];Y[o,y,x]=sum(c,X[c,y,x]*V[o,c])
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "graph/grouping/kinds.h"
#include "graph/grouping/row_chains.h"
#include "graph/program/edit.h"
#include "graph/program/linear_form.h"
#include "graph/program/node_form.h"

namespace nestwright {
namespace {

using text::Access;
using text::Stage;
using text::Term;

/// Both factors of a product of two reads; nullopt if the term is another.
std::optional<std::pair<Access, Access>> factors_of(const Term& term) {
  const auto* product = std::get_if<text::BinaryTerm>(&term.value);
  if (product == nullptr || product->op != ir::BinaryOp::kMul) return std::nullopt;
  const auto* a = std::get_if<Access>(&product->operands[0].value);
  const auto* b = std::get_if<Access>(&product->operands[1].value);
  return a != nullptr && b != nullptr ? std::optional(std::pair(*a, *b)) : std::nullopt;
}

const std::string* axis_of(const Term& index) {
  const auto* name = std::get_if<text::IndexValue>(&index.value);
  return name == nullptr ? nullptr : &name->name;
}

/// A node that multiplies each element of a tensor by a scale of some of its dimensions.
struct Scaling {
  ValueId scaled = 0, scales = 0;
  std::vector<std::size_t> dimensions;  ///< of the result: the indices of the scales
};

/// As scaling_of(), if the first factor is the tensor.
std::optional<Scaling> scaling_by(const Graph& graph, const GraphNode& node, const Access& scaled,
                                  const Access& scale) {
  const Stage& stage = node.program->stages[0];
  const bool is_first = input_name(node, 0) == scaled.tensor;
  Scaling scaling{node.inputs[is_first ? 0 : 1], node.inputs[is_first ? 1 : 0], {}};
  const bool is_smaller = graph.type(scaling.scales).elements() < graph.type(scaling.scaled).elements();
  if (!is_smaller || !reads_in_place(*node.program, scaled.tensor) || scale.padding) return std::nullopt;
  if (graph.value(scaling.scales).is_constant || graph.value(scaling.scaled).is_constant) return std::nullopt;
  for (const Term& index : scale.indices) {
    const std::string* const name = axis_of(index);
    const auto axis = name == nullptr ? stage.axes.end() : std::ranges::find(stage.axes, *name, &text::Axis::name);
    if (axis == stage.axes.end()) return std::nullopt;
    scaling.dimensions.push_back(static_cast<std::size_t>(axis - stage.axes.begin()));
  }
  return scaling;
}

std::optional<Scaling> scaling_of(const Graph& graph, const GraphNode& node) {
  if (!is_elementwise(node) || node.inputs.size() != 2 || node.outputs.size() != 1) return std::nullopt;
  const auto factors = factors_of(node.program->stages[0].body);
  if (!factors) return std::nullopt;
  const auto scaling = scaling_by(graph, node, factors->first, factors->second);
  return scaling ? scaling : scaling_by(graph, node, factors->second, factors->first);
}

/// The stage that sums up products of a tensor, which nothing else reads, and of constant weights.
struct WeightedSum {
  std::size_t stage = 0;
  Access read, weights;
};

std::optional<WeightedSum> weighted_sum(const Graph& graph, const GraphNode& node, const std::string& tensor) {
  const auto reads = [&](const Stage& stage) { return count_reads(stage, tensor) > 0; };
  const std::vector<Stage>& stages = node.program->stages;
  const auto stage = std::ranges::find_if(stages, reads);
  if (stage == stages.end() || stage->reduction != text::ReductionKind::kSum) return std::nullopt;
  const auto factors = factors_of(stage->body);
  if (!factors || count_reads(*node.program, tensor) != 1) return std::nullopt;
  WeightedSum sum{static_cast<std::size_t>(stage - stages.begin()), factors->first, factors->second};
  if (sum.read.tensor != tensor) std::swap(sum.read, sum.weights);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (input_name(node, i) != sum.weights.tensor) continue;
    const bool is_only = graph.value(node.inputs[i]).is_constant && !sum.weights.padding &&
                         count_reads(*node.program, sum.weights.tensor) == 1;
    return is_only && sum.read.padding.value_or(0) == 0 ? std::optional(sum) : std::nullopt;
  }
  return std::nullopt;
}

/// The statement of the scaled weights, as tensor number `tensor`: over the axes of the weights' indices, which are all
/// distinct axes of the sum, as those of the scales are.
std::optional<Stage> scaled_weights(const Stage& sum, const WeightedSum& parts, const Scaling& scaling,
                                    const std::string& scales, std::size_t tensor) {
  Stage stage{.tensor = tensor};
  std::set<std::string> distinct;
  for (const Term& index : parts.weights.indices) {
    const std::string* const name = axis_of(index);
    if (name == nullptr || !distinct.insert(*name).second) return std::nullopt;
    stage.axes.push_back(*sum.find_axis(*name));
  }
  Access scale{.tensor = scales};
  for (const std::size_t dimension : scaling.dimensions) {
    const std::string* const name = axis_of(parts.read.indices[dimension]);
    if (name == nullptr || !distinct.contains(*name)) return std::nullopt;
    scale.indices.push_back(parts.read.indices[dimension]);
  }
  stage.body = binary_term(ir::BinaryOp::kMul, Term{.value = parts.weights}, Term{.value = scale});
  return stage;
}

/// The convolution `nodes[1]` that reads what the scaling `nodes[0]` scales, with scaled weights.
std::optional<GraphNode> convolution_with_scales(const Graph& graph, std::size_t scaling_node, std::size_t reader) {
  const GraphNode& node = graph.nodes()[reader];
  const auto scaling = scaling_of(graph, graph.nodes()[scaling_node]);
  const auto at = std::ranges::find(node.inputs, graph.nodes()[scaling_node].outputs[0]);
  if (!scaling || node.is_view() || node.outputs.size() != 1) return std::nullopt;
  const std::string& tensor = input_name(node, static_cast<std::size_t>(at - node.inputs.begin()));
  const auto sum = weighted_sum(graph, node, tensor);
  if (!sum) return std::nullopt;

  const std::string source = "unscaled", scales = "scales", weights = "scaled_weights";
  text::Program program = *node.program;
  const TensorType &scaled_type = graph.type(scaling->scaled), &scales_type = graph.type(scaling->scales);
  const text::TensorInfo& old_weights = *program.find_tensor(sum->weights.tensor);
  const text::TensorInfo of_weights{
      .name = weights, .type = old_weights.type, .shape = old_weights.shape, .is_input = false};
  program.tensors.push_back(of_weights);
  const std::size_t number = program.tensors.size() - 1;
  program.tensors.push_back({.name = source, .type = scaled_type.type, .shape = scaled_type.shape});
  program.tensors.push_back({.name = scales, .type = scales_type.type, .shape = scales_type.shape});
  Stage& summed = program.stages[sum->stage];
  const auto made = scaled_weights(summed, *sum, *scaling, scales, number);
  if (!made) return std::nullopt;
  change_accesses(summed.body, [&](Access& access, Term&) {
    if (access.tensor == tensor) access.tensor = source;
    if (access.tensor == sum->weights.tensor) access.tensor = weights;
  });
  program.stages.insert(program.stages.begin() + static_cast<std::ptrdiff_t>(sum->stage), *made);
  return changed_node(node, std::move(program), {{source, scaling->scaled}, {scales, scaling->scales}});
}

}  // namespace

std::vector<std::vector<std::size_t>> find_scaled_weights(const Graph& joined) {
  const RowChains chains(joined);
  std::vector<std::vector<std::size_t>> sites;
  for (std::size_t n = 0; n < joined.nodes().size(); ++n) {
    if (!scaling_of(joined, joined.nodes()[n])) continue;
    const auto reader = chains.only_reader(n);
    if (reader && convolution_with_scales(joined, n, *reader)) sites.push_back({n, *reader});
  }
  return sites;
}

void scale_weights(const Graph& joined, const std::vector<std::size_t>& nodes, GraphRewrite& rewrite) {
  GraphNode node = *convolution_with_scales(joined, nodes[0], nodes[1]);
  const std::vector<ValueId> old = node.outputs;
  node.inputs = rewrite.at(node.inputs);
  rewrite.add(std::move(node), old);
}

}  // namespace nestwright
