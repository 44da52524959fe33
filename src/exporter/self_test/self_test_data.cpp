#include "exporter/self_test/self_test_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "exporter/self_test/self_test_inputs.h"
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

struct CFunction {
  const char* name;
  const char* text;
};
constexpr CFunction kFunctions[] = {{"uniform", R"(
static unsigned long long state = 88172645463325252ull;

/* In [-1, 1); xorshift after Marsaglia. */
static double uniform(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) * 0x1p-52 - 1;
}
)"},
                                    {"of_bfloat16", R"(
static double of_bfloat16(unsigned short bits) {
  const unsigned wide = (unsigned)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}
)"},
                                    {"of_float16", R"(
static double of_float16(unsigned short bits) {
  const int exponent = bits >> 10 & 31, significand = bits & 1023;
  const double magnitude = exponent == 31 ? (significand != 0 ? NAN : INFINITY)
                           : exponent == 0 ? ldexp(significand, -24) : ldexp(significand + 1024, exponent - 25);
  return bits >> 15 ? -magnitude : magnitude;
}
)"},
                                    {"to_bfloat16", R"(
/* Cut off. */
static unsigned short to_bfloat16(double value) {
  const float narrow = (float)value;
  unsigned bits;
  memcpy(&bits, &narrow, sizeof bits);
  return (unsigned short)(bits >> 16);
}
)"},
                                    {"to_float16", R"(
/* Of a value in [-1, 1), cut off. */
static unsigned short to_float16(double value) {
  const double magnitude = fabs(value);
  int exponent = -14;
  if (magnitude >= 0x1p-14) frexp(magnitude, &exponent), --exponent;
  const int units = (int)ldexp(magnitude, 10 - exponent); /* of the last place */
  const int bits = magnitude >= 0x1p-14 ? (exponent + 15) << 10 | (units - 1024) : units;
  return (unsigned short)(bits | (value < 0 ? 0x8000 : 0));
}
)"}};

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
  for (const CFunction& function : kFunctions) {
    if (text.find(std::string(function.name) + "(") != std::string::npos) source += function.text;
  }
  return source;
}

}  // namespace nestwright
