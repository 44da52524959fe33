#include "exporter/self_test_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "exporter/sources.h"
#include "templates/framework/operator_data.h"

namespace nestwright {
namespace {

constexpr std::int64_t kTail = 16;        // elements at the end of a dimension, where the last tiles are
constexpr double kLargestWhole = 0x1p53;  // up to which doubles hold all whole numbers

/// Truncates a value in (-1, 1) to float16 or bfloat16.
double truncated(ir::Type type, double value) {
  if (type == kBFloat16) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return std::bit_cast<float>(bits & 0xffff0000u);
  }
  int exponent = 0;
  std::frexp(value, &exponent);
  const int unit = std::max(exponent - 1, -14) - 10;  // of the last place
  return std::ldexp(std::trunc(std::ldexp(value, -unit)), unit);
}

std::int64_t number_of(const std::vector<std::int64_t>& at, const std::vector<std::int64_t>& shape) {
  std::int64_t number = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) number = number * shape[d] + at[d];
  return number;
}

/// Adds `budget` elements along all edges, including the corners and the last ones of each edge.
void add_edges(const std::vector<std::int64_t>& shape, std::int64_t budget, std::set<std::int64_t>& chosen) {
  const std::size_t rank = shape.size();
  const std::int64_t edges = static_cast<std::int64_t>(rank) << (rank - 1);
  const std::int64_t each = std::max<std::int64_t>(budget / edges, 2);
  for (std::size_t along = 0; along < rank; ++along) {
    for (std::uint64_t corner = 0; corner < (std::uint64_t{1} << rank); ++corner) {
      if ((corner >> along & 1) != 0) continue;
      std::vector<std::int64_t> at(rank);
      for (std::size_t d = 0; d < rank; ++d) at[d] = (corner >> d & 1) != 0 ? shape[d] - 1 : 0;
      const std::int64_t last = shape[along] - 1, tail = std::min({kTail, each / 2, shape[along]});
      for (std::int64_t n = 0; n < tail; ++n) {
        at[along] = last - n;
        chosen.insert(number_of(at, shape));
      }
      for (std::int64_t n = 0; n < each - tail; ++n) {
        at[along] = n * shape[along] / (each - tail);
        chosen.insert(number_of(at, shape));
      }
    }
  }
}

/// `values` and `bounds` are those of all elements, as they lie in memory.
SelfTestData data_of(const ir::Buffer& output, const std::vector<double>& values, const std::vector<double>& bounds) {
  const std::vector<std::int64_t> shape = ir::constants_of(output->shape);
  const auto place_of = [&](std::int64_t number) {
    std::int64_t place = 0;
    for (int d = output->rank(); d-- > 0;) {
      const std::int64_t extent = shape[static_cast<std::size_t>(d)];
      place += number % extent * *ir::as_const_int(output->stride(d));
      number /= extent;
    }
    return static_cast<std::size_t>(place);
  };
  SelfTestData data;
  for (const std::int64_t number : choose_elements(shape)) {
    if (std::isinf(bounds[place_of(number)])) continue;  // any value is right
    data.expected.push_back({number, values[place_of(number)], bounds[place_of(number)]});
  }
  if (!output->element.is_int()) return data;
  const std::int64_t all = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  std::uint64_t sum = 0;
  for (std::int64_t n = 0; n < all; ++n) {
    const double value = values[place_of(n)];
    if (std::abs(value) > kLargestWhole || bounds[place_of(n)] > 0) return data;
    sum += static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) * static_cast<std::uint64_t>(2 * n + 1);
  }
  data.sum = sum;
  return data;
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

double SelfTestRandom::uniform() {
  state_ ^= state_ << 13;
  state_ ^= state_ >> 7;
  state_ ^= state_ << 17;
  return static_cast<double>(state_ >> 11) * 0x1p-52 - 1;
}

double SelfTestRandom::draw(ir::Type type, const std::optional<DataRange>& range) {
  if (range && type.is_float()) {
    const double value = range->low + (uniform() + 1) / 2 * (range->high - range->low);
    if (type.bits == 16) return truncated(type, value);
    return type == kFloat32 ? static_cast<float>(value) : value;
  }
  if (range) {
    const double low = std::ceil(range->low), high = std::floor(range->high);
    return low + std::floor((uniform() + 1) / 2 * (high - low + 1));
  }
  const double value = uniform();
  if (type.is_bool()) return value < 0 ? 0 : 1;
  if (type.code == ir::TypeCode::kUInt) return std::trunc(128 * value + 128);
  if (type.is_int()) return std::floor(128 * value);
  if (type.bits == 16) return truncated(type, value);
  return type == kFloat32 ? static_cast<float>(value) : value;
}

std::vector<std::int64_t> choose_elements(const std::vector<std::int64_t>& shape) {
  const std::int64_t all = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  std::vector<std::int64_t> numbers;
  if (all <= kExpectedElements) {
    for (std::int64_t n = 0; n < all; ++n) numbers.push_back(n);
    return numbers;
  }
  std::set<std::int64_t> chosen;
  std::vector<std::int64_t> extents;  // of the dimensions with more than one element
  for (const std::int64_t extent : shape) {
    if (extent > 1) extents.push_back(extent);
  }
  constexpr std::int64_t kOnEdges = kExpectedElements / 2;
  const bool has_more_corners = extents.size() > std::bit_width(static_cast<std::uint64_t>(kOnEdges)) - 1u;
  if (!has_more_corners) add_edges(extents, kOnEdges, chosen);
  SelfTestRandom random;
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>((random.uniform() + 1) / 2 * static_cast<double>(n));
  };
  for (int drawn = 0; static_cast<std::int64_t>(chosen.size()) < kExpectedElements; ++drawn) {
    std::vector<std::int64_t> at;
    for (const std::int64_t extent : extents) at.push_back(below(extent));
    if (drawn % 2 == 0) {
      const auto d = static_cast<std::size_t>(below(static_cast<std::int64_t>(extents.size())));
      at[d] = extents[d] - 1 - below(std::min(kTail, extents[d]));
    }
    chosen.insert(number_of(at, extents));
  }
  return {chosen.begin(), chosen.end()};
}

std::vector<SelfTestData> make_self_test_data(const Workload& workload, const Definition& definition) {
  SelfTestRandom random;
  const std::vector<std::optional<DataRange>> ranges = input_ranges(workload, definition);
  HostTensors inputs;
  for (int i = 0; i < definition.inputs; ++i) {
    const ir::Buffer& buffer = definition.args[static_cast<std::size_t>(i)].buffer();
    std::vector<double>& values = inputs.emplace_back(static_cast<std::size_t>(buffer->elements()));
    for (double& value : values) value = random.draw(buffer->element, ranges[static_cast<std::size_t>(i)]);
  }
  const Reference reference = reference_data(workload, definition, inputs);
  std::vector<SelfTestData> data;
  const std::vector<Tensor> outputs = definition.outputs();
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    data.push_back(data_of(outputs[o].buffer(), reference.expected[o], reference.bound[o]));
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
