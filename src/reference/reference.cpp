#include "reference/reference.h"

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
  if (2 * unbounded > expected.size()) refuse(unbounded, "has no error bound");
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
  for (const Operation& op : operations) {
    for (const JudgedTensor& judged : program.add(op)) {
      computed.push_back(judged.value);
      if (judged.bound.defined()) computed.push_back(judged.bound);
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
      tensors.push_back({tensor, result_of(program[tensor].value)});
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
