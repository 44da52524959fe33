#include "reference/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "measure/elements.h"
#include "reference/double_program.h"
#include "reference/host_run.h"
#include "support/error.h"

namespace nestwright {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kSamples = 1024, kFewSamples = 64;  // of each tensor, for the interpreter
constexpr double kMostSteps = 1e13;                        // hours of computing
constexpr double kExactIntegers = 0x1p53;                  // a double holds all whole numbers below
constexpr std::size_t kUnbounded = 100;                    // one element of so many may have no bound

/// Throws UsageError where the unscheduled program would run for too long.
void check_steps(const std::vector<Operation>& operations) {
  double steps = 0;
  for (const Operation& op : operations) {
    double points = 1;
    const auto count = [&](const std::vector<IterVar>& axes) {
      for (const IterVar& axis : axes) points *= static_cast<double>(*ir::as_const_int(axis.extent()));
    };
    if (const ComputeOp* const compute = op.compute()) {
      count(compute->axes);
      count(compute->reduce_axes);
    }
    steps += points;
  }
  if (steps <= kMostSteps) return;
  throw UsageError(
      fmt::format("the reference would take {:.2g} steps, more than {:g}: give smaller sizes", steps, kMostSteps));
}

/// Throws UsageError for 64-bit integers that are not exact in double, in which results are kept and compared.
void check_integers(const Tensor& tensor, const std::vector<double>& values) {
  if (!tensor.dtype().is_int() || tensor.dtype().bits < 64) return;
  const auto large =
      std::find_if(values.begin(), values.end(), [](double value) { return std::abs(value) >= kExactIntegers; });
  if (large == values.end()) return;
  throw UsageError(
      fmt::format("'{}' is {:.4g} at element {}: results of 2^53 and more cannot be checked; give smaller "
                  "ranges, or compute in int32, which wraps around",
                  tensor.name(), *large, large - values.begin()));
}

/// Throws UsageError where a min, max or argmax of the operation met something that is not a number.
void check_terms(const Tensor& tensor, const std::vector<double>& not_numbers) {
  const auto affected = std::count_if(not_numbers.begin(), not_numbers.end(), [](double count) { return count > 0; });
  if (affected == 0) return;
  throw UsageError(
      fmt::format("'{}' is the least or largest of terms that are not all numbers in {} of {} elements: "
                  "give the range of each input on which the terms have a value, as in X: float32 in "
                  "[0.1, 2]",
                  tensor.name(), affected, not_numbers.size()));
}

/// Throws UsageError for `tensor`, which `what` is true of in `count` of its `elements`.
[[noreturn]] void refuse(const Tensor& tensor, const std::string& what, std::size_t count, std::size_t elements) {
  throw UsageError("'" + tensor.name() + "' " + what + " in " + std::to_string(count) + " of " +
                   std::to_string(elements) +
                   " elements for data in [-1, 1] or in the ranges given: give the range of each input on which the "
                   "expression has a value, as in X: float32 in [0.1, 2]");
}

/// The number of finite elements that are too large for the type of the tensor.
std::size_t count_large(const Tensor& tensor, const std::vector<double>& values) {
  const auto is_large = [largest = largest_value(tensor.dtype())](double value) {
    return std::isfinite(value) && std::abs(value) > largest;
  };
  return static_cast<std::size_t>(std::count_if(values.begin(), values.end(), is_large));
}

void refuse_large(const Tensor& tensor, const std::vector<double>& values) {
  const std::size_t count = count_large(tensor, values);
  if (count > 0) refuse(tensor, "is too large for " + tensor.dtype().str(), count, values.size());
}

/// Throws UsageError for results that no kernel can be judged by.
void check_output(const Tensor& output, const std::vector<double>& expected, const std::vector<double>& bound) {
  std::size_t none = 0, infinite = 0, unbounded = 0;
  for (std::size_t e = 0; e < expected.size(); ++e) {
    none += std::isnan(expected[e]) ? 1 : 0;
    infinite += std::isinf(expected[e]) ? 1 : 0;
    unbounded += std::isinf(bound[e]) && std::isfinite(expected[e]) ? 1 : 0;
  }
  if (none > 0) refuse(output, "is not a number", none, expected.size());
  refuse_large(output, expected);
  if (2 * infinite > expected.size()) refuse(output, "is infinite", infinite, expected.size());
  if (kUnbounded * unbounded > expected.size()) refuse(output, "has no error bound", unbounded, expected.size());
}

/// Throws UsageError where a tensor that is computed on the way is too large for its type, and the outputs are wrong
/// for that. Infinity may do as well as the value, as in 1 / (1 + exp(x)): that is seen from the definition itself,
/// computed in its own types.
void check_tensors_between(const Definition& definition, const HostTensors& inputs,
                           const std::vector<JudgedValues>& tensors, const Reference& reference) {
  const auto large = std::find_if(tensors.begin(), tensors.end(), [](const JudgedValues& judged) {
    return count_large(judged.tensor, judged.values) > 0;
  });
  if (large == tensors.end()) return;
  const auto first_output = definition.args.begin() + definition.inputs;
  std::vector<const std::vector<double>*> values;
  for (const std::vector<double>& input : inputs) values.push_back(&input);
  const std::vector<Tensor> outputs(first_output, definition.args.end());
  const std::vector<std::vector<double>> computed =
      run_unscheduled({definition.args.begin(), first_output}, values, outputs, RunBy::kCompiler);
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const Type type = outputs[o].dtype();
    std::vector<std::byte> memory(computed[o].size() * static_cast<std::size_t>(type.bytes()));
    encode_elements(type, computed[o], memory.data());
    const Comparison compared = compare_elements(type, memory.data(), reference.expected[o], reference.bound[o]);
    if (compared.first_wrong >= 0) refuse_large(large->tensor, large->values);
  }
}

}  // namespace

Reference judge_definition(const Definition& definition, const HostTensors& inputs, Rounding rounding) {
  const auto count = static_cast<std::size_t>(definition.inputs);
  const std::span<const Tensor> outputs = std::span(definition.args).subspan(count);
  check(inputs.size() == count, "each input of the definition has its values");
  DoubleProgram program(rounding);
  std::vector<Tensor> placeholders, computed;
  std::vector<const std::vector<double>*> values;
  std::vector<JudgedValues> tensors;
  for (std::size_t i = 0; i < count; ++i) {
    const Tensor& input = definition.args[i];
    placeholders.push_back(placeholder(input.shape(), in_double(input.dtype()), input.name()));
    program.set(input, {placeholders.back(), {}});
    values.push_back(&inputs[i]);
    tensors.push_back({input, inputs[i]});
  }
  const std::vector<Operation> operations = computes_of(outputs);
  check_steps(operations);
  for (const Operation& op : operations) {
    for (const JudgedTensor& judged : program.add(op)) {
      for (const Tensor& part : {judged.value, judged.bound, judged.not_numbers}) {
        if (part.defined()) computed.push_back(part);
      }
    }
  }
  std::vector<std::vector<double>> results = run_unscheduled(placeholders, values, computed, RunBy::kCompiler);
  const auto result_of = [&](const Tensor& tensor) -> std::vector<double>& {
    const auto at = std::find(computed.begin(), computed.end(), tensor) - computed.begin();
    return results[static_cast<std::size_t>(at)];
  };
  for (const Operation& op : operations) {
    for (std::size_t r = 0; r < op->results.size(); ++r) {
      const Tensor tensor(op, static_cast<int>(r));
      const JudgedTensor& judged = program[tensor];
      if (judged.not_numbers.defined()) check_terms(tensor, result_of(judged.not_numbers));
      check_integers(tensor, result_of(judged.value));
      tensors.push_back({tensor, result_of(judged.value)});
    }
  }
  check_with_interpreter(tensors, rounding == Rounding::kWrittenInRange ? kFewSamples : kSamples);
  Reference reference;
  for (const Tensor& output : outputs) {
    const JudgedTensor& judged = program[output];
    std::vector<double>& expected = reference.expected.emplace_back(result_of(judged.value));
    std::vector<double>& bound = reference.bound.emplace_back(expected.size());
    if (judged.bound.defined()) bound = result_of(judged.bound);
    for (double& b : bound) b = std::isnan(b) ? kInfinity : b;
    check_output(output, expected, bound);
  }
  // In range, the bounds of what depends on such a tensor are infinite.
  if (rounding == Rounding::kWritten) check_tensors_between(definition, inputs, tensors, reference);
  return reference;
}

}  // namespace nestwright
