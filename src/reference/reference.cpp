#include "reference/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

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

/// Throws UsageError for results that no kernel can be judged by.
void check_output(const Tensor& output, const std::vector<double>& expected, const std::vector<double>& bound) {
  const double largest = largest_value(output.dtype());
  std::size_t none = 0, large = 0, infinite = 0, unbounded = 0;
  for (std::size_t e = 0; e < expected.size(); ++e) {
    none += std::isnan(expected[e]) ? 1 : 0;
    large += std::isfinite(expected[e]) && std::abs(expected[e]) > largest ? 1 : 0;
    infinite += std::isinf(expected[e]) ? 1 : 0;
    unbounded += std::isinf(bound[e]) && std::isfinite(expected[e]) ? 1 : 0;
  }
  const auto refuse = [&](std::size_t count, const std::string& what) {
    throw UsageError("'" + output.name() + "' " + what + " in " + std::to_string(count) + " of " +
                     std::to_string(expected.size()) +
                     " elements for data in [-1, 1] or in the ranges given: give the range of each input on which the "
                     "expression has a value, as in X: float32 in [0.1, 2]");
  };
  if (none > 0) refuse(none, "is not a number");
  if (large > 0) refuse(large, "is too large for " + output.dtype().str());
  if (2 * infinite > expected.size()) refuse(infinite, "is infinite");
  if (kUnbounded * unbounded > expected.size()) refuse(unbounded, "has no error bound");
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
  return reference;
}

}  // namespace nestwright
