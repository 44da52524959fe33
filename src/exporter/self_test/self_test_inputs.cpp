#include "exporter/self_test/self_test_inputs.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace nestwright {
namespace {

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

/// The element that a number of [-1, 1) makes.
double element_of(ir::Type type, const std::optional<DataRange>& range, double uniform) {
  if (range && type.is_float()) {
    const double value = range->low + (uniform + 1) / 2 * (range->high - range->low);
    if (type.bits == 16) return truncated(type, value);
    return type == kFloat32 ? static_cast<float>(value) : value;
  }
  if (range) {
    const double low = std::ceil(range->low), high = std::floor(range->high);
    return low + std::floor((uniform + 1) / 2 * (high - low + 1));
  }
  if (type.is_bool()) return uniform < 0 ? 0 : 1;
  if (type.code == ir::TypeCode::kUInt) return std::trunc(128 * uniform + 128);
  if (type.is_int()) return std::floor(128 * uniform);
  if (type.bits == 16) return truncated(type, uniform);
  return type == kFloat32 ? static_cast<float>(uniform) : uniform;
}

/// xorshift after Marsaglia (J. Stat. Softw. 8(14), 2003).
constexpr std::uint64_t kSeed = 88172645463325252u;
std::uint64_t next(std::uint64_t state) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^ state << 17;
}

double uniform_of(std::uint64_t state) { return static_cast<double>(state >> 11) * 0x1p-52 - 1; }

/// Some steps of the generator at once, a linear map of the bits of its state: for each byte of it, the images of all
/// of its values.
class Jump {
 public:
  /// `f` is linear.
  template <typename Function>
  static Jump of(const Function& f) {
    Jump jump;
    for (std::size_t byte = 0; byte < 8; ++byte) {
      for (std::size_t bit = 0; bit < 8; ++bit) {
        const std::uint64_t image = f(std::uint64_t{1} << (8 * byte + bit));
        for (std::size_t low = 0; low < std::size_t{1} << bit; ++low) {
          jump.images_[byte][low | std::size_t{1} << bit] = jump.images_[byte][low] ^ image;
        }
      }
    }
    return jump;
  }

  std::uint64_t operator()(std::uint64_t state) const {
    std::uint64_t result = 0;
    for (std::size_t byte = 0; byte < 8; ++byte) result ^= images_[byte][state >> 8 * byte & 0xff];
    return result;
  }

 private:
  std::array<std::array<std::uint64_t, 256>, 8> images_{};
};

/// Jumps of 1, 2, 4, ... steps.
const std::vector<Jump>& jumps() {
  static const std::vector<Jump> list = [] {
    constexpr std::size_t kExponents = 48;
    std::vector<Jump> made{Jump::of(next)};
    while (made.size() < kExponents) {
      const Jump& half = made.back();
      made.push_back(Jump::of([&](std::uint64_t state) { return half(half(state)); }));
    }
    return made;
  }();
  return list;
}

std::uint64_t after(std::uint64_t state, std::uint64_t steps) {
  for (std::size_t exponent = 0; steps >> exponent != 0; ++exponent) {
    if ((steps >> exponent & 1) != 0) state = jumps()[exponent](state);
  }
  return state;
}

class DrawnValues final : public TensorValues {
 public:
  /// `before`: the elements of the inputs before this one.
  DrawnValues(ir::Type type, const std::optional<DataRange>& range, std::uint64_t before, std::size_t size)
      : type_(type), range_(range), before_(before), size_(size) {}

  std::size_t size() const override { return size_; }

  void read(std::size_t begin, std::size_t stride, std::span<double> values) const override {
    constexpr std::size_t kMany = 256;  // elements for which a table of the stride pays
    std::uint64_t state = after(kSeed, before_ + begin + 1);
    if (stride == 1) {
      fill(state, values, next);
    } else if (values.size() < kMany) {
      fill(state, values, [&](std::uint64_t from) { return after(from, stride); });
    } else {
      fill(state, values, Jump::of([&](std::uint64_t bit) { return after(bit, stride); }));
    }
  }

 private:
  template <typename Step>
  void fill(std::uint64_t state, std::span<double> values, const Step& step) const {
    for (double& value : values) {
      value = element_of(type_, range_, uniform_of(state));
      state = step(state);
    }
  }

  ir::Type type_;
  std::optional<DataRange> range_;
  std::uint64_t before_;
  std::size_t size_;
};

}  // namespace

InputValues self_test_inputs(const Definition& definition, const std::vector<std::optional<DataRange>>& ranges) {
  InputValues inputs;
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const ir::Buffer& buffer = definition.args[i].buffer();
    const auto elements = static_cast<std::size_t>(buffer->elements());
    inputs.push_back(std::make_shared<DrawnValues>(buffer->element, ranges[i], before, elements));
    before += elements;
  }
  return inputs;
}

}  // namespace nestwright
