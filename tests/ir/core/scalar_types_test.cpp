// The interpreter's arithmetic against plain C++ on every element type.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "ir/core/scalar.h"

namespace nestwright::ir {
namespace {

template <class T>
Type type_of() {
  if (std::is_same_v<T, bool>) return kBool;
  if (std::is_same_v<T, float>) return kFloat32;
  if (std::is_same_v<T, double>) return kFloat64;
  return {std::is_signed_v<T> ? TypeCode::kInt : TypeCode::kUInt, 8 * sizeof(T), 1};
}
template <class T>
Scalar scalar(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return float_scalar(value);
  else
    return integer_scalar(static_cast<std::int64_t>(value));
}
template <class T>
T value_of(Scalar s) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(s.f);
  else
    return static_cast<T>(s.i);
}

template <class T>
std::vector<T> values() {
  using L = std::numeric_limits<T>;
  std::vector<T> result{L::min(), L::max(), L::lowest(), 0, 1, 2, 3, 7, 100, static_cast<T>(L::max() / 2)};
  std::mt19937_64 random(1);
  for (int i = 0; i < 40; ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      result.push_back(std::ldexp(static_cast<T>(random() % 2000001) - 1000000, static_cast<int>(random() % 90) - 50));
    } else {
      result.push_back(static_cast<T>(random() >> (random() % 64)));
    }
  }
  if constexpr (std::is_floating_point_v<T>) {
    for (T value : {-T(0), T(0.5), T(-2.5), T(127.5), T(-128.9), T(65536), T(0x1p31), T(-0x1p63), T(0x1p64),
                    L::infinity(), -L::infinity(), L::quiet_NaN(), L::denorm_min()}) {
      result.push_back(value);
    }
  } else if constexpr (std::is_signed_v<T>) {
    for (T value : {-1, -2, -7, -100}) result.push_back(value);
  }
  return result;
}

template <class T>
bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
  } else {
    return a == b;
  }
}

template <class T>
void expect_binary(BinaryOp op, T a, T b, T expected) {
  const T actual = value_of<T>(apply_binary(op, type_of<T>(), scalar(a), scalar(b)));
  EXPECT_TRUE(same(actual, expected)) << type_of<T>().str() << ": " << +a << " " << binary_op_name(op) << " " << +b
                                      << " is " << +actual << ", expected " << +expected;
}

template <class T>
void expect_order(T a, T b) {
  const auto truth = [&](BinaryOp op) { return apply_binary(op, type_of<T>(), scalar(a), scalar(b)).i; };
  EXPECT_EQ(truth(BinaryOp::kEq), a == b ? 1 : 0);
  EXPECT_EQ(truth(BinaryOp::kNe), a != b ? 1 : 0);
  EXPECT_EQ(truth(BinaryOp::kLt), a < b ? 1 : 0);
  EXPECT_EQ(truth(BinaryOp::kLe), a <= b ? 1 : 0);
  EXPECT_EQ(truth(BinaryOp::kGt), a > b ? 1 : 0);
  EXPECT_EQ(truth(BinaryOp::kGe), a >= b ? 1 : 0);
  expect_binary<T>(BinaryOp::kMin, a, b, a < b || b != b ? a : b);
  expect_binary<T>(BinaryOp::kMax, a, b, a > b || b != b ? a : b);
}

template <class T>
class IntegerArithmetic : public ::testing::Test {};
using Integers = ::testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                                  std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(IntegerArithmetic, Integers);

TYPED_TEST(IntegerArithmetic, IsThatOfCppModuloTwoToTheBits) {
  using T = TypeParam;
  const auto wrapped = [](__int128 value) { return static_cast<T>(static_cast<std::uint64_t>(value)); };
  for (const T a : values<T>()) {
    for (const T b : values<T>()) {
      const __int128 x = a, y = b;
      expect_order<T>(a, b);
      expect_binary<T>(BinaryOp::kAdd, a, b, wrapped(x + y));
      expect_binary<T>(BinaryOp::kSub, a, b, wrapped(x - y));
      expect_binary<T>(BinaryOp::kMul, a, b,
                       static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b)));
      if (b == 0) continue;
      // Rounded towards minus infinity; the remainder has the sign of the divisor.
      __int128 quotient = x / y, remainder = x % y;
      if (remainder != 0 && (remainder < 0) != (y < 0)) {
        quotient -= 1;
        remainder += y;
      }
      expect_binary<T>(BinaryOp::kDiv, a, b, wrapped(quotient));
      expect_binary<T>(BinaryOp::kMod, a, b, wrapped(remainder));
    }
  }
}

template <class T>
class FloatArithmetic : public ::testing::Test {};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(FloatArithmetic, Floats);

TYPED_TEST(FloatArithmetic, IsThatOfCpp) {
  using T = TypeParam;
  for (const T a : values<T>()) {
    for (const T b : values<T>()) {
      expect_order<T>(a, b);
      expect_binary<T>(BinaryOp::kAdd, a, b, a + b);
      expect_binary<T>(BinaryOp::kSub, a, b, a - b);
      expect_binary<T>(BinaryOp::kMul, a, b, a * b);
      expect_binary<T>(BinaryOp::kDiv, a, b, a / b);
    }
  }
}

// Conversions that C++ leaves undefined saturate.
template <class From, class To>
To converted(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != 0;
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if (std::isnan(value)) return 0;
    if (value >= std::ldexp(From(1), std::numeric_limits<To>::digits)) return std::numeric_limits<To>::max();
    if (value <= static_cast<From>(std::numeric_limits<To>::lowest())) return std::numeric_limits<To>::lowest();
  }
  return static_cast<To>(value);
}

template <class From, class To>
void expect_casts() {
  for (const From value : values<From>()) {
    const To actual = value_of<To>(apply_cast(type_of<From>(), type_of<To>(), scalar(value)));
    EXPECT_TRUE(same(actual, converted<From, To>(value)))
        << type_of<From>().str() << " " << +value << " to " << type_of<To>().str() << " gave " << +actual;
  }
}

template <class From, class... To>
void expect_casts_to() {
  (expect_casts<From, To>(), ...);
}

template <class T>
class Casts : public ::testing::Test {};
using Numbers = ::testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                                 std::uint32_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(Casts, Numbers);

TYPED_TEST(Casts, ToEveryTypeOfCpp) {
  expect_casts_to<TypeParam, bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                  std::uint32_t, std::uint64_t, float, double>();
}

// --- float16 and bfloat16, which C++ does not have -------------------------------------------------------------------

/// Finds the nearest float of the type by search; of two equally near ones the one with an even significand.
class AllFloats {
 public:
  explicit AllFloats(Type type) {
    for (int bits = 0; bits < 0x8000; ++bits) {
      const auto pattern = static_cast<std::uint16_t>(bits);
      const double value = type == kFloat16 ? float16_value(pattern) : bfloat16_value(pattern);
      if (std::isfinite(value)) values_.push_back(value);
    }
    // Infinity represents the next larger one.
    values_.push_back(2 * values_.back() - values_[values_.size() - 2]);
  }
  double nearest(double value) const {
    if (std::isnan(value)) return value;
    const double size = std::abs(value);
    auto above = static_cast<std::size_t>(std::lower_bound(values_.begin(), values_.end(), size) - values_.begin());
    above = std::min(above, values_.size() - 1);
    const std::size_t below = above == 0 ? 0 : above - 1;
    const double up = values_[above] - size, down = size - values_[below];
    const std::size_t chosen = up < down || (up == down && above % 2 == 0) || size >= values_[above] ? above : below;
    const double magnitude = chosen == values_.size() - 1 ? std::numeric_limits<double>::infinity() : values_[chosen];
    return std::copysign(magnitude, value);
  }
  const std::vector<double>& magnitudes() const { return values_; }

 private:
  std::vector<double> values_;
};

class NarrowFloat : public ::testing::TestWithParam<Type> {};

TEST_P(NarrowFloat, OperationsRoundToTheNearest) {
  const Type type = GetParam();
  const AllFloats all(type);
  std::mt19937 random(3);
  const auto draw = [&] {
    const double value = all.magnitudes()[random() % (all.magnitudes().size() - 1)];
    return random() % 2 == 0 ? value : -value;
  };
  const auto near = [&](double x) {  // of a magnitude that affects the sum with x
    return all.nearest(x * (0.25 + static_cast<double>(random() % 64) / 16));
  };
  for (int i = 0; i < 20000; ++i) {
    const double a = draw(), b = i % 2 == 0 ? draw() : near(a);
    const auto expect = [&](BinaryOp op, double exact) {
      const double actual = apply_binary(op, type, float_scalar(a), float_scalar(b)).f;
      EXPECT_TRUE(same(actual, all.nearest(exact))) << a << " " << binary_op_name(op) << " " << b << " gave " << actual;
    };
    expect(BinaryOp::kAdd, a + b);  // exact in double, or of magnitudes so different that double rounding is harmless
    expect(BinaryOp::kSub, a - b);
    expect(BinaryOp::kMul, a * b);
    expect(BinaryOp::kDiv, a / b);
  }
}

TEST_P(NarrowFloat, CastsRoundByWayOfFloat32) {
  const Type type = GetParam();
  const AllFloats all(type);
  for (const double value : values<double>()) {
    const double actual = apply_cast(kFloat64, type, float_scalar(value)).f;
    EXPECT_TRUE(same(actual, all.nearest(static_cast<float>(value)))) << value << " gave " << actual;
  }
  for (const std::int64_t value : values<std::int64_t>()) {
    const double actual = apply_cast(kInt64, type, integer_scalar(value)).f;
    EXPECT_TRUE(same(actual, all.nearest(static_cast<float>(value)))) << value << " gave " << actual;
  }
  for (const double value : all.magnitudes()) {
    if (value == all.magnitudes().back()) break;  // infinity
    EXPECT_EQ(apply_cast(type, kFloat32, float_scalar(value)).f, value);
    EXPECT_EQ(apply_cast(type, kInt16, float_scalar(value)).i, (converted<double, std::int16_t>(value)));
  }
}

INSTANTIATE_TEST_SUITE_P(Types, NarrowFloat, ::testing::Values(kFloat16, kBFloat16),
                         [](const auto& test) { return test.param.str(); });

}  // namespace
}  // namespace nestwright::ir
