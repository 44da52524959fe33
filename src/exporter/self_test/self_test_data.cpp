#include "exporter/self_test/self_test_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "exporter/self_test/self_test_inputs.h"
#include "exporter/source/c_text.h"
#include "exporter/source/sources.h"
#include "templates/checking/choose_elements.h"
#include "templates/framework/template/operator_data.h"

namespace nestwright {
namespace {

/// The values and bounds of the elements of these numbers, computed alone.
std::vector<ExpectedElement> elements_of_one(const Workload& workload, const ir::Buffer& output,
                                             const InputValues& inputs, const std::vector<std::int64_t>& numbers) {
  const std::vector<std::int64_t> places = places_of(output, numbers);
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return places[a] < places[b]; });
  std::vector<std::int64_t> ascending;
  for (const std::size_t i : order) ascending.push_back(places[i]);
  const ElementReference reference = workload.op->large.reference_at(workload, inputs, ascending);
  std::vector<ExpectedElement> expected(numbers.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    expected[order[i]] = {numbers[order[i]], reference.expected[i], reference.bound[i]};
  }
  return expected;
}

/// C functions that a self-test may call, each with its text in exporter/c/self_test/.
constexpr const char* kFunctions[] = {"uniform", "of_bfloat16", "of_float16", "to_bfloat16", "to_float16"};

}  // namespace

std::vector<SelfTestData> make_self_test_data(const Workload& workload, const Definition& definition) {
  const InputValues inputs = self_test_inputs(definition, input_ranges(workload, definition));
  const std::vector<Tensor> outputs = definition.outputs();
  std::vector<SelfTestData> data;
  const auto numbers_of = [](const Tensor& output) {
    return choose_elements(ir::constants_of(output.buffer()->shape), kExpectedElements);
  };
  if (workload.op->large.reference_at && outputs.size() == 1) {
    const ir::Buffer& output = outputs[0].buffer();
    return {{elements_of_one(workload, output, inputs, numbers_of(outputs[0]))}};
  }
  HostTensors tensors;
  for (const auto& input : inputs) {
    input->read(0, 1, tensors.emplace_back(input->size()));
  }
  const Reference reference = reference_data(workload, definition, tensors);
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const std::vector<std::int64_t> numbers = numbers_of(outputs[o]);
    const std::vector<std::int64_t> places = places_of(outputs[o].buffer(), numbers);
    SelfTestData& of_output = data.emplace_back();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto place = static_cast<std::size_t>(places[i]);
      if (std::isinf(reference.bound[o][place])) continue;  // any value is right
      of_output.expected.push_back({numbers[i], reference.expected[o][place], reference.bound[o][place]});
    }
  }
  return data;
}

std::string c_draw(ir::Type type, const std::optional<DataRange>& range) {
  if (range && type.is_float()) {
    // Doubles, though they look like integers: the difference of two of those may overflow.
    const std::string value =
        fmt::format("{:.17g} + (uniform() + 1) / 2 * ((double){:.17g} - {:.17g})", range->low, range->high, range->low);
    if (type.bits == 16) return fmt::format("to_{}({})", type.str(), value);
    return fmt::format("({})({})", type == kFloat32 ? "float" : "double", value);
  }
  if (range) {
    const double low = std::ceil(range->low), high = std::floor(range->high);
    return fmt::format("({})({:.17g} + floor((uniform() + 1) / 2 * {:.17g}))", c_type(type), low, high - low + 1);
  }
  if (type == kBFloat16) return "to_bfloat16(uniform())";
  if (type == kFloat16) return "to_float16(uniform())";
  if (type.is_bool()) return "uniform() < 0 ? 0 : 1";
  if (type.code == ir::TypeCode::kUInt) return fmt::format("({})(128 * uniform() + 128)", c_type(type));
  if (type.is_int()) return fmt::format("({})floor(128 * uniform())", c_type(type));
  return type == kFloat32 ? "(float)uniform()" : "uniform()";
}

std::string c_value(ir::Type type, const std::string& element) {
  if (type == kBFloat16) return "of_bfloat16(" + element + ")";
  return type == kFloat16 ? "of_float16(" + element + ")" : "(double)" + element;
}

std::string c_functions_for(const std::string& text) {
  std::string source;
  for (const std::string function : kFunctions) {
    if (text.find(function + "(") != std::string::npos) source += "\n" + c_text("self_test/" + function);
  }
  return source;
}

}  // namespace nestwright
