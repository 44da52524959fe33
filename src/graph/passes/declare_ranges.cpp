#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "graph/evaluate.h"
#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"
#include "graph/program/edit.h"
#include "graph/program/node_form.h"
#include "graph/seeded_inputs.h"
#include "measure/check/elements.h"
#include "reference/host_run.h"
#include "text/syntax/program.h"

namespace nestwright {
namespace {

using text::Term;

constexpr std::int64_t kDrawnTogether = 4096;
/// The size of all inputs of a kernel that is run, in bytes: reading a model takes little more memory than its file.
constexpr std::size_t kMostBytes = std::size_t{32} << 20;

bool is_number(const Term& term) {
  return std::holds_alternative<text::Real>(term.value) || std::holds_alternative<text::Integer>(term.value);
}

/// Whether the program divides by something else than a number, or calls a function that is not defined for all
/// numbers.
bool is_partial(const text::Program& program) {
  static const std::set<std::string> functions{"log", "log2", "pow", "rsqrt", "sqrt"};
  bool is_partial = false;
  for (const text::Stage& stage : program.stages) {
    text::for_each_term(stage.body, [&](const Term& part, bool) {
      const auto* call = std::get_if<text::FunctionCall>(&part.value);
      const auto* binary = std::get_if<text::BinaryTerm>(&part.value);
      const bool divides = binary != nullptr && binary->op == ir::BinaryOp::kDiv && !is_number(binary->operands[1]);
      is_partial = is_partial || divides || (call != nullptr && functions.contains(call->name));
    });
  }
  return is_partial;
}

/// Elements of an input as kernels are checked on (docs/expressions.md, section 2): in the declared range.
Array drawn(const text::TensorInfo& tensor, Uniform& uniform) {
  text::Range range = tensor.range.value_or(text::Range{-1, 1});
  if (!tensor.range && tensor.type.is_int()) {
    range = tensor.type.code == ir::TypeCode::kInt ? text::Range{-128, 127} : text::Range{0, 255};
  } else if (tensor.type.is_bool()) {
    range = {0, 1};
  }
  Array array = Array::empty(tensor.type, tensor.shape);
  auto* const elements = static_cast<std::byte*>(array.data());
  std::vector<double> values;
  for (std::int64_t first = 0; first < array.elements(); first += std::ssize(values)) {
    values.resize(static_cast<std::size_t>(std::min(array.elements() - first, kDrawnTogether)));
    for (double& value : values) {
      value = range.low + (range.high - range.low) * (uniform.next() + 1) / 2;
      if (!tensor.type.is_float()) value = std::round(value);
    }
    encode_elements(tensor.type, values, elements + first * tensor.type.bytes());
  }
  return array;
}

std::size_t bytes_of_inputs(const Graph& graph, const GraphNode& node) {
  std::size_t bytes = 0;
  for (const ValueId input : node.inputs) bytes += graph.type(input).size_bytes();
  return bytes;
}

/// Whether kernels can be judged by the results for random elements: none is NaN, and not most are infinite.
bool has_numbers(const GraphNode& node) {
  Uniform uniform;
  std::vector<Array> inputs;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    inputs.push_back(drawn(*node.program->find_tensor(input_name(node, i)), uniform));
  }
  std::vector<const Array*> pointers;
  for (const Array& input : inputs) pointers.push_back(&input);
  const std::vector<Array> results = results_of(node, pointers);
  return std::ranges::all_of(results, [](const Array& result) {
    const std::vector<double> values = doubles_of(result);
    const auto is_infinite = [](double value) { return std::isinf(value); };
    return std::ranges::none_of(values, [](double value) { return std::isnan(value); }) &&
           2 * std::ranges::count_if(values, is_infinite) <= std::ssize(values);
  });
}

/// The power of two with the sign of `value` that is next to it, above or below; 0 of 0.
double power_beside(double value, bool above) {
  if (value == 0) return 0;
  const double exponent = std::log2(std::abs(value));
  const bool is_larger = above == (value > 0);
  return std::copysign(std::exp2(is_larger ? std::ceil(exponent) : std::floor(exponent)), value);
}

/// The powers of two between which the elements lie; nullopt if one is no finite number, or if all are 0.
std::optional<text::Range> range_of(const Array& array) {
  const std::vector<double> values = doubles_of(array);
  const bool is_finite = std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
  if (!is_finite || values.empty()) return std::nullopt;
  const auto [low, high] = std::ranges::minmax(values);
  if (low == 0 && high == 0) return std::nullopt;
  return text::Range{power_beside(low, false), power_beside(high, true)};
}

/// The node with the ranges of its floating-point inputs.
GraphNode with_ranges(const GraphNode& node, GraphEvaluator& evaluator) {
  text::Program program = *node.program;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const std::string name = input_name(node, i);
    const auto tensor = std::ranges::find(program.tensors, name, &text::TensorInfo::name);
    if (tensor->type.is_float()) tensor->range = range_of(*evaluator.get(node.inputs[i]));
  }
  return changed_node(node, std::move(program));
}

}  // namespace

Graph declare_ranges(const Graph& graph) {
  std::map<std::string, bool> accepted;  // by expression
  std::vector<bool> needs_ranges(graph.nodes().size());
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const GraphNode& node = graph.nodes()[n];
    if (node.is_view() || graph.value(node.outputs[0]).is_constant || !is_partial(*node.program)) continue;
    const auto [known, is_new] = accepted.try_emplace(graph.expression_of(node));
    if (is_new) known->second = bytes_of_inputs(graph, node) > kMostBytes || has_numbers(node);
    needs_ranges[n] = !known->second;
  }
  if (std::ranges::find(needs_ranges, true) == needs_ranges.end()) return graph;

  GraphEvaluator evaluator(graph);
  std::vector<Array> inputs = seeded_inputs(graph);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    evaluator.set(graph.inputs()[i].value, std::make_shared<const Array>(std::move(inputs[i])));
  }
  GraphRewrite rewrite(graph);
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const GraphNode& node = graph.nodes()[n];
    if (needs_ranges[n]) {
      GraphNode ranged = with_ranges(node, evaluator);
      if (has_numbers(ranged)) {
        ranged.inputs = rewrite.at(ranged.inputs);
        rewrite.add(std::move(ranged), node.outputs);
        continue;
      }
    }
    rewrite.copy(n);  // without ranges, if they do not help
  }
  return rewrite.finish();
}

}  // namespace nestwright
