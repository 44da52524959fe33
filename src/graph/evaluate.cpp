#include "graph/evaluate.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "measure/check/elements.h"
#include "nestwright/error.h"
#include "reference/host_run.h"
#include "text/syntax/program.h"
#include "text/tensors.h"

namespace nestwright {
namespace {

/// More steps than this are compiled, which takes as long as the interpreter takes for about as many.
constexpr double kMaxInterpreted = 20'000;

double steps_of(const text::Program& program) {
  double steps = 0;
  for (const text::Stage& stage : program.stages) {
    double of_stage = 1;
    for (const text::Axis& axis : stage.axes) of_stage *= static_cast<double>(axis.extent);
    for (const text::Axis& axis : stage.reduce_axes) of_stage *= static_cast<double>(axis.extent);
    steps += of_stage;
  }
  return steps;
}

SharedArray shared(Array array) { return std::make_shared<const Array>(std::move(array)); }

SharedArray array_of(const TensorType& type, const void* elements) {
  Array array = Array::empty(type.type, type.shape);
  if (array.size_bytes() > 0) std::memcpy(array.data(), elements, array.size_bytes());
  return shared(std::move(array));
}

}  // namespace

std::vector<Array> results_of(const GraphNode& node, const std::vector<const Array*>& inputs) {
  const text::Signature signature = text::make_tensors(*node.program, text::TensorForm::kWritten);
  const auto first_output = signature.args.begin() + signature.inputs;
  const RunBy by = steps_of(*node.program) <= kMaxInterpreted ? RunBy::kInterpreter : RunBy::kAllCores;
  return run_on_arrays({signature.args.begin(), first_output}, inputs, {first_output, signature.args.end()}, by);
}

SharedArray GraphEvaluator::get(ValueId id) {
  if (const auto known = known_.find(id); known != known_.end()) return known->second;
  const GraphValue& value = graph_.value(id);
  if (value.data) return known_[id] = array_of(value.type, value.data->bytes.data());
  if (!value.node) throw UsageError("the value of the input '" + value.name + "' is not known");

  // Nodes before it that it needs, without recursion: a graph may be a chain of any length.
  std::vector<std::size_t> needed{*value.node};
  while (!needed.empty()) {
    const GraphNode& node = graph_.nodes()[needed.back()];
    const std::size_t count = needed.size();
    for (const ValueId input : node.inputs) {
      if (known_.contains(input)) continue;
      if (const auto producer = graph_.value(input).node) {
        needed.push_back(*producer);
      } else {
        get(input);
      }
    }
    if (needed.size() > count) continue;
    needed.pop_back();
    if (!known_.contains(node.outputs.front())) compute(node);
  }
  return known_.at(id);
}

std::vector<std::int64_t> GraphEvaluator::integers(ValueId id) {
  const SharedArray array = get(id);
  check(array->type().is_int() || array->type().is_bool(), "integers() requires integers");
  std::vector<std::int64_t> values(static_cast<std::size_t>(array->elements()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (array->type() == kInt64) {
      values[i] = array->as<std::int64_t>()[i];
    } else if (array->type() == kUInt64) {
      constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
      values[i] = static_cast<std::int64_t>(std::min(array->as<std::uint64_t>()[i], kLargest));
    } else {
      values[i] = static_cast<std::int64_t>(element_at(array->type(), array->data(), static_cast<std::int64_t>(i)));
    }
  }
  return values;
}

void GraphEvaluator::compute(const GraphNode& node) {
  if (node.is_view()) {
    known_[node.outputs[0]] = array_of(graph_.type(node.outputs[0]), known_.at(node.inputs[0])->data());
    return;
  }
  std::vector<const Array*> inputs;
  for (const ValueId input : node.inputs) inputs.push_back(known_.at(input).get());
  std::vector<Array> results = results_of(node, inputs);
  for (std::size_t i = 0; i < results.size(); ++i) known_[node.outputs[i]] = shared(std::move(results[i]));
}

}  // namespace nestwright
