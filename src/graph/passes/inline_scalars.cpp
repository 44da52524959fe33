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
#include "text/syntax/expression_error.h"

namespace nestwright {
namespace {

using text::Term;

/// The shortest number that is the element once it is rounded to float32 or a narrower type.
double shortest(double value, ir::Type type) {
  return type == kFloat64 ? value : std::stod(fmt::format("{}", static_cast<float>(value)));
}

/// A literal of the element; nullopt: the text has none for it.
std::optional<Term> literal_of(const Array& array) {
  const double value = shortest(doubles_of(array).front(), array.type());
  const ir::Type type = array.type();
  if (std::isnan(value) || type.is_bool() || (type.is_int() && std::abs(value) >= 0x1p53)) return std::nullopt;
  const auto magnitude = type.is_float() ? Term{.value = text::Real{std::abs(value)}}
                                         : Term{.value = text::Integer{static_cast<std::int64_t>(std::abs(value))}};
  if (!std::signbit(value)) return magnitude;
  return Term{.value = text::Negation{{magnitude}}};
}

/// Literals in the place of inputs, by their names.
struct Literal {
  Term number;
  ir::Type type;
};
using Literals = std::map<std::string, Literal>;

GraphNode with_literals(const GraphNode& node, const Literals& literals, bool converted) {
  text::Program program = *node.program;
  for (text::Stage& stage : program.stages) {
    change_accesses(stage.body, [&](text::Access& access, Term& whole) {
      const auto literal = literals.find(access.tensor);
      if (literal == literals.end() || access.padding) return;
      const auto& [number, type] = literal->second;
      // An integer without another operand is an int64.
      const bool needs_type = converted || (type.is_int() && type != kInt64);
      whole = needs_type ? Term{.value = text::FunctionCall{type.str(), {number}}} : number;
    });
  }
  return changed_node(node, std::move(program));
}

bool has_types_of(const GraphNode& node, const Graph& graph) {
  const std::vector<std::size_t> parameters = node.program->parameters();
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.program->tensors[parameters[node.inputs.size() + i]].type != graph.type(node.outputs[i]).type)
      return false;
  }
  return true;
}

/// The node with numbers, which take the types of other operands where that is right, and else are converted.
GraphNode with_numbers(const GraphNode& node, const Graph& graph, const Literals& literals) {
  try {
    GraphNode plain = with_literals(node, literals, false);
    if (has_types_of(plain, graph)) return plain;
  } catch (const text::ExpressionError&) {
    // The operands of an operator had no type, or different ones.
  }
  return with_literals(node, literals, true);
}

/// Whether a constant of one element follows from few elements. Others are not computed only to be written down.
class CheapScalars {
 public:
  explicit CheapScalars(const Graph& graph) : is_cheap_(graph.values().size(), true) {
    constexpr std::int64_t kMostElements = std::int64_t{1} << 20;
    for (const GraphNode& node : graph.nodes()) {
      bool is_cheap = true;
      for (const ValueId input : node.inputs) {
        is_cheap = is_cheap && is_cheap_[input] && graph.type(input).elements() <= kMostElements;
      }
      for (const ValueId output : node.outputs) is_cheap_[output] = is_cheap;
    }
  }
  bool contains(ValueId value) const { return is_cheap_[value]; }

 private:
  std::vector<bool> is_cheap_;
};

/// Whether a number looks like a part of the model's structure rather than one that was learned: it has at most four
/// digits, or occurs several times. Each learned number in an expression would make a task of its own.
class StructuralNumbers {
 public:
  StructuralNumbers(const Graph& graph, const CheapScalars& cheap, GraphEvaluator& evaluator) {
    for (const GraphNode& node : graph.nodes()) {
      if (node.is_view() || graph.value(node.outputs[0]).is_constant) continue;
      for (const ValueId input : node.inputs) {
        if (graph.value(input).is_constant && graph.type(input).elements() == 1 && cheap.contains(input)) {
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
  const CheapScalars cheap(graph);
  const StructuralNumbers structural(graph, cheap, evaluator);
  GraphRewrite rewrite(graph);
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const GraphNode& node = graph.nodes()[n];
    const auto is_scalar = [&](ValueId input) {
      return graph.value(input).is_constant && graph.type(input).elements() == 1 && cheap.contains(input);
    };
    // A node of constants is computed once, whatever it reads.
    const bool is_constant = graph.value(node.outputs[0]).is_constant;
    if (node.is_view() || is_constant || std::none_of(node.inputs.begin(), node.inputs.end(), is_scalar)) {
      rewrite.copy(n);
      continue;
    }
    Literals literals;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (!is_scalar(node.inputs[i])) continue;
      const SharedArray array = evaluator.get(node.inputs[i]);
      const std::optional<Term> number = structural.contains(*array) ? literal_of(*array) : std::nullopt;
      if (number) literals[input_name(node, i)] = {*number, array->type()};
    }
    GraphNode changed = with_numbers(node, graph, literals);
    changed.inputs = rewrite.at(changed.inputs);
    rewrite.add(std::move(changed), node.outputs);
  }
  return rewrite.finish();
}

}  // namespace nestwright
