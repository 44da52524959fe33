#include "ir/core/fold.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace nestwright::ir {
namespace {

TEST(Fold, WrapsIntegersInTheirType) {
  EXPECT_EQ(wrap_int(128, kInt8), -128);
  EXPECT_EQ(wrap_int(-1, kUInt8), 255);
  EXPECT_EQ(wrap_int(256, kUInt8), 0);
  EXPECT_EQ(wrap_int(std::int64_t{1} << 31, kInt32), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(*as_const_int(make_int(100, kInt8) + make_int(100, kInt8)), -56);
}

TEST(Fold, ComparesUnsignedByValue) {
  const Expr big = make_int(-1, kUInt64), one = make_int(1, kUInt64);
  EXPECT_TRUE(is_true(one < big));
  EXPECT_TRUE(is_const_int(big / one, -1));
  EXPECT_TRUE(is_const_int(min(big, one), 1));
}

TEST(Fold, RoundsFloatsToTheirType) {
  EXPECT_EQ(round_float(0.1, kFloat32), static_cast<double>(0.1f));
  EXPECT_EQ(round_float(2049.0, kFloat16), 2048.0);  // ties to even
  EXPECT_EQ(round_float(2051.0, kFloat16), 2052.0);
  EXPECT_EQ(round_float(65504.0, kFloat16), 65504.0);
  EXPECT_TRUE(std::isinf(round_float(65520.0, kFloat16)));
  EXPECT_EQ(round_float(std::ldexp(1, -24), kFloat16), std::ldexp(1, -24));  // the smallest subnormal
  EXPECT_EQ(round_float(std::ldexp(1, -25), kFloat16), 0.0);
  EXPECT_EQ(round_float(257.0, kBFloat16), 256.0);
  EXPECT_EQ(round_float(259.0, kBFloat16), 260.0);
}

TEST(Fold, DividesTowardsMinusInfinity) {
  for (std::int64_t a = -9; a <= 9; ++a) {
    for (std::int64_t b = -4; b <= 4; ++b) {
      if (b == 0) continue;
      EXPECT_EQ(floor_div(a, b),
                static_cast<std::int64_t>(std::floor(static_cast<double>(a) / static_cast<double>(b))));
      EXPECT_EQ(floor_div(a, b) * b + floor_mod(a, b), a);
      EXPECT_TRUE(is_const_int(Expr(a) / Expr(b), floor_div(a, b)));
      EXPECT_TRUE(is_const_int(Expr(a) % Expr(b), floor_mod(a, b)));
    }
  }
}

}  // namespace
}  // namespace nestwright::ir
