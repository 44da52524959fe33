#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"
#include "graph/program/edit.h"
#include "graph/program/linear_form.h"
#include "graph/program/node_form.h"
#include "text/syntax/canonical.h"

namespace nestwright {
namespace {

using text::Stage;
using text::Term;

/// A node that computes sums of products with constant weights: Y = scale * sum(... * W[...]) + offset.
struct WeightedSum {
  const Stage* sum = nullptr;
  const text::Access* weights = nullptr;  ///< a factor of the sum's terms
  std::size_t weights_input = 0;
  LinearForm after;  ///< of the sum, in terms of the axes of the last statement
  const Stage* last = nullptr;
};

bool reads_only_constants(const Graph& graph, const GraphNode& node, const std::optional<Term>& term) {
  bool only = true;
  if (!term) return true;
  text::for_each_access(*term, [&](const text::Access& access, const Term&, bool) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (input_name(node, i) == access.tensor) only = only && graph.value(node.inputs[i]).is_constant;
    }
    only = only && node.program->find_tensor(access.tensor)->is_input && !access.padding;
  });
  return only;
}

std::optional<WeightedSum> weighted_sum(const Graph& graph, const GraphNode& node) {
  if (node.is_view() || node.outputs.size() != 1 || node.program->stages.size() > 2) return std::nullopt;
  WeightedSum found;
  found.sum = &node.program->stages.front();
  found.last = &node.program->stages.back();
  if (found.sum->reduction != text::ReductionKind::kSum) return std::nullopt;
  if (found.last != found.sum) {
    const std::string& sum = node.program->tensors[found.sum->tensor].name;
    const auto form = linear_form(found.last->body, sum);
    const bool in_place = reads_in_place(*node.program, sum);
    if (!form || found.last->reduction || !in_place || count_reads(*node.program, sum) != 1) return std::nullopt;
    if (!reads_only_constants(graph, node, form->scale) || !reads_only_constants(graph, node, form->offset)) {
      return std::nullopt;
    }
    found.after = *form;
  }
  const auto* product = std::get_if<text::BinaryTerm>(&found.sum->body.value);
  if (product == nullptr || product->op != ir::BinaryOp::kMul) return std::nullopt;
  for (const Term& factor : product->operands) {
    const auto* access = std::get_if<text::Access>(&factor.value);
    if (access == nullptr || access->padding) continue;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (input_name(node, i) != access->tensor || !graph.value(node.inputs[i]).is_constant) continue;
      found.weights = access;
      found.weights_input = i;
    }
  }
  const bool is_read_once = found.weights != nullptr && count_reads(*node.program, found.weights->tensor) == 1;
  return is_read_once ? std::optional(found) : std::nullopt;
}

/// The dimensions of the weights that are indexed by a single axis of the sum, and read as a whole.
std::map<std::string, std::size_t> weight_dimensions(const WeightedSum& sum, const std::vector<std::int64_t>& shape) {
  std::map<std::string, std::size_t> dimensions;
  for (std::size_t d = 0; d < sum.weights->indices.size(); ++d) {
    const auto* index = std::get_if<text::IndexValue>(&sum.weights->indices[d].value);
    if (index != nullptr && sum.sum->find_axis(index->name)->extent == shape[d]) dimensions[index->name] = d;
  }
  return dimensions;
}

class ScaleFolder {
 public:
  explicit ScaleFolder(const Graph& graph)
      : graph_(graph), readers_(readers_of(graph)), is_output_(outputs_of(graph)) {}

  /// nullopt: there was nothing to fold.
  std::optional<Graph> run() {
    GraphRewrite rewrite(graph_);
    bool has_folded = false;
    for (std::size_t n = 0; n < graph_.nodes().size(); ++n) {
      if (fold(n, rewrite)) {
        has_folded = true;
      } else {
        rewrite.copy(n);
      }
    }
    return has_folded ? std::optional(rewrite.finish()) : std::nullopt;
  }

 private:
  /// The producer of the operand in which the node is linear with constant scale and offset.
  struct Candidate {
    std::size_t producer = 0;
    WeightedSum sum;
    LinearForm form;  ///< of the node, its axes being those of the producer's last statement
  };

  std::optional<Candidate> candidate(const GraphNode& node) const {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId input = node.inputs[i];
      const auto producer = graph_.value(input).node;
      if (!producer || graph_.value(input).is_constant || is_output_[input] || readers_[input].size() != 1) continue;
      if (graph_.type(input) != graph_.type(node.outputs[0])) continue;
      const std::optional<WeightedSum> sum = weighted_sum(graph_, graph_.nodes()[*producer]);
      const std::string& name = input_name(node, i);
      const std::optional<LinearForm> form = linear_form(node.program->stages[0].body, name);
      if (!sum || !form || !reads_in_place(*node.program, name)) continue;
      if (!reads_only_constants(graph_, node, form->scale) || !reads_only_constants(graph_, node, form->offset)) {
        continue;
      }
      return Candidate{*producer, *sum, *form};
    }
    return std::nullopt;
  }

  bool fold(std::size_t number, GraphRewrite& rewrite) {
    const GraphNode& node = graph_.nodes()[number];
    const bool is_constant = graph_.value(node.outputs[0]).is_constant;
    if (is_constant || !is_elementwise(node) || graph_.type(node.outputs[0]).type != kFloat32) return false;
    const std::optional<Candidate> found = candidate(node);
    if (!found) return false;
    const GraphNode& producer = graph_.nodes()[found->producer];
    Parts parts = collect(node, producer, *found);

    // The axes along which scales differ have to be dimensions of the weights.
    const std::map<std::string, std::size_t> dimensions =
        weight_dimensions(found->sum, graph_.type(producer.inputs[found->sum.weights_input]).shape);
    const auto axes = parts.form.scale ? axes_of(*parts.form.scale) : std::vector<std::string>();
    for (const std::string& axis : axes) {
      if (!dimensions.contains(parts.sum_axis.at(axis))) return false;
    }
    const std::string op = producer.op + "+" + node.op;
    const ValueId weights = producer.inputs[found->sum.weights_input];
    const ValueId scaled = parts.form.scale ? scaled_weights(parts, dimensions, weights, rewrite) : rewrite.at(weights);
    add_sum(producer, *found, parts, scaled, op, node, rewrite);
    return true;
  }

  /// Scale and offset of the sum in terms of the producer's last axes, and the constants that they read.
  struct Parts {
    LinearForm form;
    std::map<std::string, std::pair<ValueId, const text::TensorInfo*>> tensors;
    std::map<std::string, std::string> sum_axis;  ///< of the last statement -> of the sum
  };

  Parts collect(const GraphNode& node, const GraphNode& producer, const Candidate& found) const {
    Parts parts;
    const Stage& own = node.program->stages[0];
    std::map<std::string, Term> axes;
    for (std::size_t d = 0; d < own.axes.size(); ++d) {
      axes[own.axes[d].name] = Term{.value = text::IndexValue{found.sum.last->axes[d].name}};
      parts.sum_axis[found.sum.last->axes[d].name] = found.sum.sum->axes[d].name;
    }
    // Tensors of the two nodes may have one name.
    const auto named = [&](const GraphNode& from, const std::string& prefix, std::optional<Term> term,
                           const std::map<std::string, Term>& new_axes) {
      if (!term) return term;
      term = substitute_axes(std::move(*term), new_axes);
      change_accesses(*term, [&](text::Access& access, Term&) {
        const std::string name = prefix + access.tensor;
        for (std::size_t i = 0; i < from.inputs.size(); ++i) {
          if (input_name(from, i) == access.tensor) {
            parts.tensors[name] = {from.inputs[i], from.program->find_tensor(access.tensor)};
          }
        }
        access.tensor = name;
      });
      return term;
    };
    const LinearForm outer{named(node, "Q_", found.form.scale, axes), named(node, "Q_", found.form.offset, axes)};
    const LinearForm inner{named(producer, "P_", found.sum.after.scale, {}),
                           named(producer, "P_", found.sum.after.offset, {})};
    parts.form = composed(outer, inner);
    return parts;
  }

  std::vector<GraphOperand> operands_of(const Term& term, const Parts& parts, GraphRewrite& rewrite) const {
    std::map<std::string_view, ValueId> used;
    for (const auto& [name, tensor] : parts.tensors) {
      text::for_each_access(term, [&](const text::Access& access, const Term&, bool) {
        if (access.tensor == name) used[name] = rewrite.at(tensor.first);
      });
    }
    std::vector<GraphOperand> operands;
    for (const auto& [name, value] : used) operands.push_back({name, value});
    return operands;
  }

  ValueId scaled_weights(const Parts& parts, const std::map<std::string, std::size_t>& dimensions, ValueId weights,
                         GraphRewrite& rewrite) const {
    const std::vector<std::int64_t>& shape = graph_.type(weights).shape;
    std::map<std::string, Term> axes;
    for (const auto& [last, sum] : parts.sum_axis) {
      const auto dimension = dimensions.find(sum);
      if (dimension == dimensions.end()) continue;
      axes[last] = Term{.value = text::IndexValue{fmt::format("w{}", dimension->second)}};
    }
    const Term scale = substitute_axes(*parts.form.scale, axes);
    std::string indices, sizes;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      indices += fmt::format("{}w{}", d == 0 ? "" : ",", d);
      sizes += fmt::format(" w{}={}", d, shape[d]);
    }
    std::vector<GraphOperand> operands = operands_of(scale, parts, rewrite);
    operands.push_back({"W", rewrite.at(weights)});
    return rewrite.to().apply("Scale", fmt::format("Y[{0}]=W[{0}]*({1}){2}", indices, text::to_string(scale), sizes),
                              operands);
  }

  /// The offset as a constant, and the axes of the sum that it differs along.
  struct Offset {
    ValueId value;
    std::string indices;
  };
  Offset add_offset(const Parts& parts, const Stage& sum, GraphRewrite& rewrite) const {
    std::map<std::string, Term> to_sum;
    for (const auto& [last, of_sum] : parts.sum_axis) to_sum[last] = Term{.value = text::IndexValue{of_sum}};
    const Term term = substitute_axes(*parts.form.offset, to_sum);
    const std::vector<std::string> used = axes_of(term);
    std::string sizes;
    for (const std::string& axis : used) sizes += fmt::format(" {}={}", axis, sum.find_axis(axis)->extent);
    const std::string indices = fmt::format("{}", fmt::join(used, ","));
    const std::string expression = fmt::format("Y[{}]={}{}", indices, text::to_string(term), sizes);
    return {rewrite.to().apply("Offset", expression, operands_of(term, parts, rewrite)), indices};
  }

  /// Puts the sum with other weights, plus the offset, in the place of the node's result.
  void add_sum(const GraphNode& producer, const Candidate& found, const Parts& parts, ValueId weights,
               const std::string& op, const GraphNode& node, GraphRewrite& rewrite) const {
    const Stage& sum = *found.sum.sum;
    const std::string body = text::to_string(sum.body);
    std::string axes, reduced, sizes;
    const auto list = [&](const std::vector<text::Axis>& from, std::string& names) {
      for (const text::Axis& axis : from) {
        names += (names.empty() ? "" : ",") + axis.name;
        sizes += fmt::format(" {}={}", axis.name, axis.extent);
      }
    };
    list(sum.axes, axes);
    list(sum.reduce_axes, reduced);
    std::vector<GraphOperand> operands;
    for (std::size_t i = 0; i < producer.inputs.size(); ++i) {
      const std::string& name = input_name(producer, i);
      const bool is_weights = i == found.sum.weights_input;
      const bool is_read = is_weights || count_reads(sum, name) > 0;
      if (is_read) operands.push_back({name, is_weights ? weights : rewrite.at(producer.inputs[i])});
    }
    std::string summand;
    if (parts.form.offset) {
      const Offset offset = add_offset(parts, sum, rewrite);
      operands.push_back({"folded_offset", offset.value});
      summand = fmt::format("+folded_offset[{}]", offset.indices);
    }
    const std::string expression = fmt::format("folded[{}]=sum({},{}){}{}", axes, reduced, body, summand, sizes);
    rewrite.replace(node.outputs[0], rewrite.to().apply(op, expression, operands, producer.label));
  }

  const Graph& graph_;
  std::vector<std::vector<std::size_t>> readers_;
  std::vector<bool> is_output_;
};

}  // namespace

Graph fold_scales(const Graph& graph) {
  // A chain, such as a scale and then an offset, is folded one node after the other.
  Graph folded = graph;
  while (std::optional<Graph> next = ScaleFolder(folded).run()) folded = std::move(*next);
  return folded;
}

}  // namespace nestwright
