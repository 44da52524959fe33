// The operators on the bits of integers, and what they fold to.
#include <gtest/gtest.h>

#include <limits>

#include "nestwright/program.h"
#include "nestwright/tensor.h"
#include "tests/expression/expect_usage_error.h"

namespace nestwright {
namespace {

std::int64_t value(const Expr& e) {
  const std::int64_t* constant = ir::as_const_int(e);
  return constant != nullptr ? *constant : -12345;
}

TEST(Bits, LiteralsAreFolded) {
  const auto of = [](ir::Type type) { return [type](std::int64_t x) { return ir::make_int(x, type); }; };
  const auto s8 = of(kInt8), u8 = of(kUInt8), s64 = of(kInt64);
  EXPECT_EQ(value(s8(12) & s8(10)), 8);
  EXPECT_EQ(value(s8(12) | s8(3)), 15);
  EXPECT_EQ(value(s8(-1) ^ s8(15)), -16);
  EXPECT_EQ(value(s8(64) << s8(1)), -128);
  EXPECT_EQ(value(u8(255) << u8(4)), 240);
  EXPECT_EQ(value(s8(-128) >> s8(3)), -16);
  EXPECT_EQ(value(u8(128) >> u8(3)), 16);
  EXPECT_EQ(value(s64(-1) >> s64(63)), -1);
}

TEST(Bits, AmountsBeyondTheTypeShiftEverythingOut) {
  const auto of = [](ir::Type type, std::int64_t x) { return ir::make_int(x, type); };
  for (const std::int64_t amount : {8, 9, 100, -1, -128}) {
    EXPECT_EQ(value(of(kInt8, 5) << of(kInt8, amount)), 0) << amount;
    EXPECT_EQ(value(of(kInt8, 5) >> of(kInt8, amount)), 0) << amount;
    EXPECT_EQ(value(of(kInt8, -5) >> of(kInt8, amount)), -1) << amount;
    EXPECT_EQ(value(of(kUInt8, 255) >> of(kUInt8, amount)), 0) << amount;
  }
}

TEST(Bits, OfIndicesAreArithmeticWhereItIsTheSame) {
  const Expr i = var("i");
  const IterVar k = reduce_axis(8, "k");
  EXPECT_EQ(ir::to_string(i & 7), "i%8");
  EXPECT_EQ(ir::to_string(i & 5), "bit_and(i, 5)");
  // 2^62 is the largest divisor. 2^63 is no int64: computing it is what the sanitizers would report.
  const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(ir::to_string(i & Expr(largest / 2)), "i%4611686018427387904");
  EXPECT_EQ(ir::to_string(i & Expr(largest)), "bit_and(i, 9223372036854775807)");
  EXPECT_EQ(ir::to_string(i >> 3), "i/8");
  EXPECT_EQ(ir::to_string(i << 3), "i*8");
  EXPECT_EQ(ir::to_string(k ^ 1), "bit_xor(k, 1)");
  EXPECT_EQ(ir::to_string(Expr(var("x", kInt32)) >> 3), "shift_right(x, 3)");
}

TEST(Bits, OfBoolsAreLogical) {
  const Expr p = var("p", kBool), q = var("q", kBool);
  EXPECT_EQ(ir::to_string(p & q), "p && q");
  EXPECT_EQ(ir::to_string(p | q), "p || q");
  EXPECT_EQ(ir::to_string(p ^ q), "p != q");
}

TEST(Bits, OtherTypesAreRefused) {
  const Expr x = var("x", kFloat32), i = var("i"), p = var("p", kBool), b = var("b", kUInt8);
  expect_usage_error([&] { x & x; }, "operator '&' does not take float32: cast it to an integer first");
  expect_usage_error([&] { x >> 2; }, "operator '>>' does not take float32: cast it to an integer first");
  expect_usage_error([&] { p << p; }, "operator '<<' does not take bool: cast it to an integer first");
  expect_usage_error([&] { i | b; }, "operands of '|' have types int64 and uint8: cast one to the other's type");
  expect_usage_error([&] { b ^ 256; }, "the literal 256 beside '^' is no value of uint8");
}

}  // namespace
}  // namespace nestwright
