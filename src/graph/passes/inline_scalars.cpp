#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "graph/evaluate.h"
#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"
#include "graph/program/edit.h"
#include "graph/program/node_form.h"
#include "reference/host_run.h"

namespace nestwright {
namespace {

using text::Term;

/// A literal of the element, converted to its type, which other operands may not have; nullopt: the text has no literal
/// for it.
std::optional<Term> literal_of(const Array& array) {
  const double value = doubles_of(array).front();
  const ir::Type type = array.type();
  if (std::isnan(value) || type.is_bool() || (type.is_int() && std::abs(value) >= 0x1p53)) return std::nullopt;
  const auto magnitude = type.is_float() ? Term{.value = text::Real{std::abs(value)}}
                                         : Term{.value = text::Integer{static_cast<std::int64_t>(std::abs(value))}};
  Term number = magnitude;
  if (std::signbit(value)) number.value = text::Negation{{magnitude}};
  return Term{.value = text::FunctionCall{type.str(), {number}}};
}

/// Whether a number looks like a part of the model's structure rather than one that was learned: it has at most four
/// digits, or occurs several times. Each learned number in an expression would make a task of its own.
class StructuralNumbers {
 public:
  StructuralNumbers(const Graph& graph, GraphEvaluator& evaluator) {
    for (const GraphNode& node : graph.nodes()) {
      if (node.is_view() || graph.value(node.outputs[0]).is_constant) continue;
      for (const ValueId input : node.inputs) {
        if (graph.value(input).is_constant && graph.type(input).elements() == 1) {
          ++uses_[doubles_of(*evaluator.get(input)).front()];
        }
      }
    }
  }

  bool contains(const Array& array) const {
    const double value = doubles_of(array).front();
    if (!array.type().is_float()) return true;
    const std::string digits = fmt::format("{:.4g}", value);
    const bool is_short = static_cast<float>(std::stod(digits)) == static_cast<float>(value);
    const auto uses = uses_.find(value);
    return is_short || (uses != uses_.end() && uses->second > 1);
  }

 private:
  std::map<double, int> uses_;
};

}  // namespace

Graph inline_scalars(const Graph& graph) {
  GraphEvaluator evaluator(graph);
  const StructuralNumbers structural(graph, evaluator);
  GraphRewrite rewrite(graph);
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const GraphNode& node = graph.nodes()[n];
    const auto is_scalar = [&](ValueId input) {
      return graph.value(input).is_constant && graph.type(input).elements() == 1;
    };
    // A node of constants is computed once, whatever it reads.
    const bool is_constant = graph.value(node.outputs[0]).is_constant;
    if (node.is_view() || is_constant || std::none_of(node.inputs.begin(), node.inputs.end(), is_scalar)) {
      rewrite.copy(n);
      continue;
    }
    text::Program program = *node.program;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (!is_scalar(node.inputs[i])) continue;
      const std::string name = input_name(node, i);
      const SharedArray array = evaluator.get(node.inputs[i]);
      if (!structural.contains(*array)) continue;
      const std::optional<Term> literal = literal_of(*array);
      if (!literal) continue;
      for (text::Stage& stage : program.stages) {
        change_accesses(stage.body, [&](text::Access& access, Term& whole) {
          if (access.tensor == name && !access.padding) whole = *literal;
        });
      }
    }
    GraphNode changed = changed_node(node, std::move(program));
    changed.inputs = rewrite.at(changed.inputs);
    rewrite.add(std::move(changed), node.outputs);
  }
  return rewrite.finish();
}

}  // namespace nestwright
