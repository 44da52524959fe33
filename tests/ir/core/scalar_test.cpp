#include "ir/core/scalar.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "nestwright/error.h"

namespace nestwright::ir {
namespace {

std::int64_t integers(BinaryOp op, Type type, std::int64_t a, std::int64_t b) {
  return apply_binary(op, type, integer_scalar(a), integer_scalar(b)).i;
}
double floats(BinaryOp op, Type type, double a, double b) {
  return apply_binary(op, type, float_scalar(a), float_scalar(b)).f;
}
double call(Intrinsic intrinsic, Type type, double x) {
  const Scalar arg = float_scalar(x);
  return apply_intrinsic(intrinsic, type, &arg).f;
}

TEST(Scalar, IntegersWrapAndDivideTowardsMinusInfinity) {
  EXPECT_EQ(integers(BinaryOp::kAdd, kInt8, 127, 1), -128);
  EXPECT_EQ(integers(BinaryOp::kSub, kUInt8, 0, 1), 255);
  EXPECT_EQ(integers(BinaryOp::kMul, kInt16, 300, 300), 90000 - 65536);
  EXPECT_EQ(integers(BinaryOp::kDiv, kInt32, -7, 2), -4);
  EXPECT_EQ(integers(BinaryOp::kMod, kInt32, -7, 2), 1);
  EXPECT_EQ(integers(BinaryOp::kDiv, kUInt64, -1, 2), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(integers(BinaryOp::kLt, kUInt64, -1, 2), 0);
  EXPECT_EQ(integers(BinaryOp::kLt, kInt64, -1, 2), 1);
  EXPECT_EQ(integers(BinaryOp::kMin, kUInt64, -1, 2), 2);
  EXPECT_THROW(integers(BinaryOp::kDiv, kInt64, 1, 0), Error);
}

TEST(Scalar, EachFloatOperationRoundsToItsType) {
  EXPECT_EQ(floats(BinaryOp::kAdd, kFloat32, 16777216, 1), 16777216);
  EXPECT_EQ(floats(BinaryOp::kAdd, kFloat64, 16777216, 1), 16777217);
  EXPECT_EQ(floats(BinaryOp::kDiv, kFloat32, 1, 3), static_cast<double>(1.0f / 3.0f));
  EXPECT_EQ(floats(BinaryOp::kAdd, kFloat16, 2048, 1), 2048);  // ties to even
  EXPECT_EQ(floats(BinaryOp::kAdd, kFloat16, 2048, 3), 2052);
  EXPECT_EQ(floats(BinaryOp::kMul, kFloat16, 300, 300), std::numeric_limits<double>::infinity());
  EXPECT_EQ(floats(BinaryOp::kAdd, kBFloat16, 256, 1), 256);
  EXPECT_EQ(floats(BinaryOp::kAdd, kBFloat16, 256, 3), 260);
}

TEST(Scalar, Float16HasTheBitsOfTheStandard) {
  EXPECT_EQ(float16_bits(1.0), 0x3c00);
  EXPECT_EQ(float16_bits(-2.0), 0xc000);
  EXPECT_EQ(float16_bits(65504), 0x7bff);
  EXPECT_EQ(float16_bits(65520), 0x7c00);                  // rounds up to infinity
  EXPECT_EQ(float16_bits(std::ldexp(1, -24)), 0x0001);     // smallest subnormal
  EXPECT_EQ(float16_bits(std::ldexp(1023, -24)), 0x03ff);  // largest subnormal
  EXPECT_EQ(float16_bits(std::ldexp(1, -14)), 0x0400);     // smallest normal
  EXPECT_EQ(float16_bits(-0.0), 0x8000);
  EXPECT_EQ(float16_bits(0.1), 0x2e66);
  for (int bits = 0; bits < 65536; ++bits) {
    const double value = float16_value(static_cast<std::uint16_t>(bits));
    if (!std::isnan(value)) {
      EXPECT_EQ(float16_bits(value), bits);
    }
  }
}

TEST(Scalar, BFloat16IsTheUpperHalfOfFloat32) {
  EXPECT_EQ(bfloat16_bits(1.0), 0x3f80);
  EXPECT_EQ(bfloat16_bits(3.140625), 0x4049);
  EXPECT_EQ(bfloat16_bits(1.00390625), 0x3f80);  // a tie, to even
  for (int bits = 0; bits < 65536; ++bits) {
    const double value = bfloat16_value(static_cast<std::uint16_t>(bits));
    if (!std::isnan(value)) {
      EXPECT_EQ(bfloat16_bits(value), bits);
    }
  }
}

TEST(Scalar, MemoryRoundTripsEveryType) {
  std::byte bytes[8] = {};
  for (const Type type : {kInt8, kInt16, kInt32, kInt64}) {
    write_element(type, integer_scalar(-5), bytes);
    EXPECT_EQ(read_element(type, bytes).i, -5) << type.str();
  }
  for (const Type type : {kUInt8, kUInt16, kUInt32, kUInt64}) {
    write_element(type, integer_scalar(200), bytes);
    EXPECT_EQ(read_element(type, bytes).i, 200) << type.str();
  }
  for (const Type type : {kFloat16, kBFloat16, kFloat32, kFloat64}) {
    write_element(type, float_scalar(-1.5), bytes);
    EXPECT_EQ(read_element(type, bytes).f, -1.5) << type.str();
  }
  write_element(kBool, integer_scalar(1), bytes);
  EXPECT_EQ(read_element(kBool, bytes).i, 1);
}

TEST(Scalar, CastsTruncateWrapAndSaturate) {
  EXPECT_EQ(apply_cast(kFloat32, kInt32, float_scalar(-2.9)).i, -2);
  EXPECT_EQ(apply_cast(kFloat32, kInt8, float_scalar(1000)).i, 127);
  EXPECT_EQ(apply_cast(kFloat32, kUInt8, float_scalar(-3)).i, 0);
  EXPECT_EQ(apply_cast(kFloat64, kUInt64, float_scalar(std::ldexp(1, 63))).i, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(apply_cast(kInt32, kInt8, integer_scalar(300)).i, 44);
  EXPECT_EQ(apply_cast(kInt64, kFloat32, integer_scalar(16777217)).f, 16777216);
  EXPECT_EQ(apply_cast(kUInt64, kFloat64, integer_scalar(-1)).f, std::ldexp(1, 64));
  EXPECT_EQ(apply_cast(kFloat64, kFloat16, float_scalar(0.1)).f, 0.0999755859375);
  EXPECT_EQ(apply_cast(kFloat32, kBool, float_scalar(0.5)).i, 1);
}

TEST(Scalar, IntrinsicsComputeInTheirType) {
  EXPECT_EQ(call(Intrinsic::kExp, kFloat32, 1), static_cast<double>(std::exp(1.0f)));
  EXPECT_EQ(call(Intrinsic::kExp, kFloat64, 1), std::exp(1.0));
  EXPECT_EQ(call(Intrinsic::kRsqrt, kFloat64, 4), 0.5);
  EXPECT_EQ(call(Intrinsic::kRound, kFloat32, 2.5), 2);
  EXPECT_EQ(call(Intrinsic::kFloor, kFloat32, -0.5), -1);
  EXPECT_EQ(call(Intrinsic::kSigmoid, kFloat64, 0), 0.5);
  const Scalar args[] = {float_scalar(1 + std::ldexp(1, -23)), float_scalar(1 - std::ldexp(1, -23)), float_scalar(-1)};
  EXPECT_EQ(apply_intrinsic(Intrinsic::kFma, kFloat32, args).f, -std::ldexp(1, -46));
  const auto scaled = [](Type type, double x, double n) {
    const Scalar operands[] = {float_scalar(x), float_scalar(n)};
    return apply_intrinsic(Intrinsic::kScale, type, operands).f;
  };
  EXPECT_EQ(scaled(kFloat32, 1.25, -140), std::ldexp(1.25, -140));
  EXPECT_EQ(scaled(kFloat32, 1.25, -149), std::ldexp(1, -149));  // rounded once
  EXPECT_EQ(scaled(kFloat32, 1.5, 128), std::numeric_limits<double>::infinity());
  EXPECT_EQ(scaled(kFloat64, -1.5, 128), std::ldexp(-1.5, 128));
  EXPECT_EQ(scaled(kFloat64, 1, -1e30), 0);
  EXPECT_TRUE(std::isnan(scaled(kFloat32, 1, std::nan(""))));
  const Scalar negative = integer_scalar(-4);
  EXPECT_EQ(apply_intrinsic(Intrinsic::kAbs, kInt32, &negative).i, 4);
  EXPECT_THROW(apply_intrinsic(Intrinsic::kExp, kInt32, &negative), Error);
}

// The bits of cvt.rna.tf32.f32.
TEST(Scalar, Tf32HasTenBitsBehindThePoint) {
  const auto rounded = [](double x) { return call(Intrinsic::kRoundTf32, kFloat32, x); };
  constexpr double kUlp = 0x1p-10, kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(rounded(1 + 3 * kUlp), 1 + 3 * kUlp);
  EXPECT_EQ(rounded(1 + 0.499 * kUlp), 1);
  EXPECT_EQ(rounded(1 + 0.5 * kUlp), 1 + kUlp) << "ties go away from 0, not to even";
  EXPECT_EQ(rounded(-1 - 0.5 * kUlp), -1 - kUlp);
  EXPECT_EQ(rounded(1 + 1.5 * kUlp), 1 + 2 * kUlp);
  EXPECT_EQ(rounded(2 - 0.25 * kUlp), 2) << "into the next binade";
  EXPECT_EQ(rounded(2049), 2050);
  // Subnormals have fewer bits, in steps of 2^-136.
  EXPECT_EQ(rounded(0x1p-136), 0x1p-136);
  EXPECT_EQ(rounded(-0x1p-137), -0x1p-136);
  EXPECT_EQ(rounded(0x1.8p-136), 0x1p-135);
  EXPECT_EQ(rounded(0x1p-138), 0);
  EXPECT_TRUE(std::signbit(rounded(-0x1p-149)));
  // The largest value, and half a step more.
  EXPECT_EQ(rounded(0x1.ffcffep127), 0x1.ffcp127);
  EXPECT_EQ(rounded(0x1.ffdffep127), 0x1.ffcp127);
  EXPECT_EQ(rounded(0x1.ffep127), kInfinity);
  EXPECT_EQ(rounded(-0x1.fffffep127), -kInfinity);
  EXPECT_EQ(rounded(-kInfinity), -kInfinity);
  EXPECT_TRUE(std::isnan(rounded(std::nan(""))));
}

}  // namespace
}  // namespace nestwright::ir
