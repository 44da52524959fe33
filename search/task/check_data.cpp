#include "search/task/check_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <utility>

#include "measure/check/elements.h"
#include "nestwright/error.h"
#include "search/task/large_reference.h"
#include "support/data/hash.h"
#include "templates/checking/draw_elements.h"
#include "templates/framework/template/operator_data.h"

namespace nestwright {
namespace {

constexpr double kUniformShare = 0.5, kWholeShare = 0.2, kWideShare = 0.3;  ///< of the references' time
constexpr double kSlowBytes_s = 0.25e9;                  ///< tensors that a thread of a slow machine fills and compares
constexpr double kCheckedCalls = 4, kSlowFlops_s = 5e9;  ///< of a thorough check, and the operations of a slow thread
constexpr double kMaxWhole_s = 1;  ///< for the whole reference of one set of inputs, where parts would do

bool has_infinite(const std::vector<std::vector<double>>& bounds) {
  return std::any_of(bounds.begin(), bounds.end(), [](const std::vector<double>& of_output) {
    return std::any_of(of_output.begin(), of_output.end(), [](double bound) { return std::isinf(bound); });
  });
}

double rounded(ir::Type type, double value) {
  if (type == kFloat32) return static_cast<float>(value);
  std::array<std::byte, 8> memory{};
  encode_elements(type, {&value, 1}, memory.data());
  return element_at(type, memory.data(), 0);
}

/// The least number of a floating-point type that is not below `value`. Requires one.
double least_at_or_above(ir::Type type, double value) {
  const double near = rounded(type, value);
  if (near >= value) return near;
  // Half a unit in the last place above `near` is rounded to its neighbour, and a value below that to `near`.
  double step = std::abs(value - near);
  while (rounded(type, near + step) == near) step *= 2;
  return rounded(type, near + step);
}

/// A value drawn uniformly from [-1, 1] and rounded to the type; for integers, from 256 values, which are all those of
/// 8 bits.
template <typename Random>
double draw(ir::Type type, Random& random) {
  if (type.is_bool()) return static_cast<double>(random() & 1);
  if (type.is_int()) {
    const double low = type.code == ir::TypeCode::kUInt ? 0 : -std::ldexp(1.0, type.bits - 1);
    const double values = std::ldexp(1.0, std::min<int>(type.bits, 8));
    return std::floor(draw_uniform(random, 0, values)) + std::max(low, -values / 2);
  }
  return rounded(type, draw_uniform(random, -1, 1));
}

/// The part of a range between numbers of the type. Throws UsageError where there is none.
DataRange numbers_in(const DataRange& range, ir::Type type, const std::string& name) {
  DataRange inside{std::ceil(range.low), std::floor(range.high)};
  if (type.is_float()) inside = {least_at_or_above(type, range.low), -least_at_or_above(type, -range.high)};
  if (inside.low <= inside.high) return inside;
  throw UsageError(fmt::format("the range [{}, {}] of '{}' has no number of {}: give a wider one", range.low,
                               range.high, name, type.str()));
}

/// A value drawn uniformly from a range whose ends are of the type; for integers, from those in it.
template <typename Random>
double draw(ir::Type type, const DataRange& range, Random& random) {
  const double end = type.is_float() ? range.high : range.high + 1;
  const double value = draw_uniform(random, range.low, end);
  return std::clamp(rounded(type, type.is_float() ? value : std::floor(value)), range.low, range.high);
}

/// The types, sizes and roles of the tensors.
CheckData describe(const Workload& workload, const Definition& definition) {
  CheckData data;
  data.constants = constant_operands(workload);
  for (std::size_t i = 0; i < definition.args.size(); ++i) {
    const ir::Buffer& buffer = definition.args[i].buffer();
    const bool is_input = static_cast<int>(i) < definition.inputs;
    data.types.push_back(buffer->element);
    data.elements.push_back(buffer->elements());
    data.roles.push_back(is_input ? ir::Role::kInput : ir::Role::kOutput);
  }
  return data;
}

InputSources uniform_sources(const Workload& workload, const Definition& definition) {
  const std::vector<std::optional<DataRange>> ranges = input_ranges(workload, definition);
  std::mt19937_64 random(stable_hash(workload.str()));
  InputSources sources;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const ir::Buffer& buffer = definition.args[i].buffer();
    std::optional<DataRange> range = ranges[i];
    if (range) range = numbers_in(*range, buffer->element, buffer->name);
    sources.push_back(draw_elements(static_cast<std::size_t>(buffer->elements()), random,
                                    [range, type = buffer->element](auto& from, std::size_t) {
                                      return range ? draw(type, *range, from) : draw(type, from);
                                    }));
  }
  return sources;
}

void require_numbers(const Workload& workload, const std::vector<double>& expected) {
  if (std::any_of(expected.begin(), expected.end(), [](double value) { return !std::isnan(value); })) return;
  throw UsageError("the reference of " + workload.str() +
                   " is not a number anywhere, so that no kernel can be checked: give data on which it has a value");
}

}  // namespace

CheckData make_check_data(const Workload& workload, const CheckEffort& effort) {
  const Definition& definition = *workload.definition;
  CheckData data = describe(workload, definition);
  data.inputs = values_of(uniform_sources(workload, definition));
  Reference reference = reference_data(workload, definition, data.inputs,
                                       {.seconds = kUniformShare * effort.seconds, .kept_in = effort.kept_in});
  for (const std::vector<double>& expected : reference.expected) require_numbers(workload, expected);
  data.expected = std::move(reference.expected);
  data.bound = std::move(reference.bound);
  return data;
}

HostTensors uniform_inputs(const Workload& workload) {
  return values_of(uniform_sources(workload, *workload.definition));
}

double check_limit_s(const Definition& definition, double calls_s) {
  return std::max(RunnerOptions().timeout_s, calls_s) + definition.bytes / kSlowBytes_s;
}

double check_limit_s(const Task& task) {
  const Definition& definition = *task.workload.definition;
  const bool is_cpu = task.target.device == DeviceKind::kCpu;
  return check_limit_s(definition,
                       is_cpu ? kCheckedCalls * definition.flops / (kSlowFlops_s * task.target.threads) : 0);
}

CheckData make_strict_check_data(const Workload& workload, const CheckEffort& effort) {
  const Definition& definition = *workload.definition;
  const double whole_s = std::min(kMaxWhole_s, kWholeShare * effort.seconds);
  if (const std::optional<LargeReference> large = LargeReference::make(workload, definition, whole_s)) {
    CheckData data = describe(workload, definition);
    data.large = large->data(uniform_sources(workload, definition));
    return data;
  }
  CheckData data = make_check_data(workload, effort);
  data.integer_inputs = integer_input_data(workload, definition);
  if (!data.integer_inputs.empty()) {
    Reference whole = reference_data(
        workload, definition, data.integer_inputs,
        {.seconds = kWholeShare * effort.seconds, .is_exact = true, .is_first = false, .kept_in = effort.kept_in});
    data.integer_expected = std::move(whole.expected);
    if (has_infinite(whole.bound)) data.integer_bound = std::move(whole.bound);
  }
  CheckedInputs uniform{std::move(data.inputs), {std::move(data.expected), std::move(data.bound)}};
  CheckedInputs wide =
      wide_input_data(workload, definition, uniform,
                      {.seconds = kWideShare * effort.seconds, .is_first = false, .kept_in = effort.kept_in});
  data.inputs = std::move(uniform.inputs);
  data.expected = std::move(uniform.reference.expected);
  data.bound = std::move(uniform.reference.bound);
  data.wide_inputs = std::move(wide.inputs);
  data.wide_expected = std::move(wide.reference.expected);
  data.wide_bound = std::move(wide.reference.bound);
  return data;
}

}  // namespace nestwright
