#include "nestwright/expr_nodes.h"

#include <gtest/gtest.h>

#include <functional>

#include "ir/core/scalar.h"
#include "ir/traversal/equal.h"
#include "nestwright/error.h"
#include "nestwright/program.h"

namespace nestwright::ir {
namespace {

void expect_refused(const std::function<Expr()>& make, const std::string& message) {
  try {
    (void)make();
    FAIL() << "accepted; expected: " << message;
  } catch (const UsageError& error) {
    EXPECT_EQ(error.what(), message);
  }
}

TEST(Intrinsics, PrintAsTheyAreWritten) {
  const Var x("x", kFloat32), n("n", kInt32);
  EXPECT_EQ(to_string(exp(x)), "exp(x)");
  EXPECT_EQ(to_string(log(x)), "log(x)");
  EXPECT_EQ(to_string(log2(x)), "log2(x)");
  EXPECT_EQ(to_string(sqrt(x) + rsqrt(x)), "sqrt(x) + rsqrt(x)");
  EXPECT_EQ(to_string(tanh(sigmoid(erf(x)))), "tanh(sigmoid(erf(x)))");
  EXPECT_EQ(to_string(floor(x) + ceil(x) + round(x)), "floor(x) + ceil(x) + round(x)");
  EXPECT_EQ(to_string(abs(n)), "abs(n)");
  EXPECT_EQ(to_string(scale(x, 3)), "scale(x, 3.0)");
  EXPECT_EQ(to_string(round_tf32(x)), "round_tf32(x)");
  EXPECT_EQ(to_string(clamp(x, 0.0, 6.0)), "min(6.0, max(0.0, x))");
  EXPECT_EQ(to_string(reinterpret(kInt32, x)), "reinterpret_int32(x)");
}

TEST(Intrinsics, LiteralsTakeTheTypeOfTheOtherOperand) {
  const Var half("h", kFloat16), wide("w", kFloat64), n("n", kInt8);
  EXPECT_EQ(pow(half, 2).type(), kFloat16);
  EXPECT_EQ(pow(2.0, wide).type(), kFloat64);
  EXPECT_EQ(fma(2, 0.5, wide).type(), kFloat64);
  EXPECT_EQ(fma(wide, 0.5, 1).type(), kFloat64);
  EXPECT_EQ(fma(n, 3, 1).type(), kInt8);
  EXPECT_EQ(clamp(n, -5, 5).type(), kInt8);
  const Expr vector = make_broadcast(Expr(wide), 4);
  EXPECT_EQ(fma(vector, 2.0, 1.0).type(), kFloat64.with_lanes(4));
  EXPECT_EQ(pow(vector, wide).type(), kFloat64.with_lanes(4));
}

TEST(Intrinsics, RoundingAnIntegerIsTheIdentity) {
  const Expr n = Var("n", kInt32), u = Var("u", kUInt8);
  for (const Expr& same : {floor(n), ceil(n), round(n)}) EXPECT_TRUE(same.same_as(n));
  EXPECT_TRUE(abs(u).same_as(u));
  EXPECT_TRUE(reinterpret(kInt32, n).same_as(n));
}

TEST(Intrinsics, OtherTypesAreRefused) {
  const Var n("n", kInt32), b("b", kBool), x("x", kFloat32), wide("w", kFloat64);
  expect_refused([&] { return exp(n); }, "exp does not take int32: cast it to a floating-point type first");
  expect_refused([&] { return sqrt(4); }, "sqrt does not take int64: cast it to a floating-point type first");
  expect_refused([&] { return pow(n, 2); }, "pow does not take int32: cast it to a floating-point type first");
  expect_refused([&] { return scale(n, 2); }, "scale does not take int32: cast it to a floating-point type first");
  expect_refused([&] { return round_tf32(n); },
                 "round_tf32 does not take int32: cast it to a floating-point type first");
  expect_refused([&] { return round_tf32(wide); }, "round_tf32 does not take float64: cast it to float32 first");
  expect_refused([&] { return floor(b); }, "floor does not take bool: cast it to a number first");
  expect_refused([&] { return abs(b); }, "abs does not take bool: cast it to a number first");
  expect_refused([&] { return fma(x, wide, 1.0); },
                 "operands of 'fma' have types float32 and float64: cast one to the other's type");
  expect_refused([&] { return tanh(Expr()); }, "an operand of tanh is undefined");
  expect_refused([&] { return reinterpret(kInt64, x); },
                 "reinterpret from float32 to int64: the types differ in bits, cast to change the type of a value");
}

TEST(Intrinsics, ReinterpretKeepsTheBits) {
  EXPECT_EQ(apply_reinterpret(kFloat32, kInt32, float_scalar(-1.0)).i, static_cast<std::int32_t>(0xbf800000));
  EXPECT_EQ(apply_reinterpret(kFloat32, kUInt32, float_scalar(-1.0)).i, 0xbf800000);
  EXPECT_EQ(apply_reinterpret(kInt32, kFloat32, integer_scalar(0x40490fdb)).f, 3.14159274101257324);
  EXPECT_EQ(apply_reinterpret(kFloat64, kInt64, float_scalar(1.0)).i, std::int64_t{1023} << 52);
  EXPECT_EQ(apply_reinterpret(kUInt16, kFloat16, integer_scalar(0x3c00)).f, 1.0);
  EXPECT_EQ(apply_reinterpret(kUInt16, kBFloat16, integer_scalar(0x3f80)).f, 1.0);
}

TEST(Intrinsics, ReinterpretsToDifferentTypesDiffer) {
  const Var x("x", kFloat32);
  EXPECT_FALSE(equal(reinterpret(kInt32, x), reinterpret(kUInt32, x)));
  EXPECT_TRUE(equal(reinterpret(kInt32, x), reinterpret(kInt32, x)));
}

Scalar word(std::uint32_t bits) { return integer_scalar(static_cast<std::int32_t>(bits)); }

TEST(Words, JoinTheLowestBitsOfTheirParts) {
  const Scalar bytes[] = {integer_scalar(0x101), integer_scalar(-1), integer_scalar(3), integer_scalar(-128)};
  EXPECT_EQ(apply_intrinsic(Intrinsic::kJoinBytes, kInt32, bytes).i, static_cast<std::int32_t>(0x8003ff01U));
  const Scalar halves[] = {integer_scalar(-2), integer_scalar(0x12345)};
  EXPECT_EQ(apply_intrinsic(Intrinsic::kJoinHalves, kInt32, halves).i, 0x2345fffe);
  const Var b("b", kInt8), h("h", kBFloat16), x("x", kFloat32), n("n", kInt32);
  EXPECT_EQ(to_string(join({b, b, b, b})), "join_bytes(int32(b), int32(b), int32(b), int32(b))");
  EXPECT_EQ(to_string(join({h, h})), "join_halves(int32(reinterpret_uint16(h)), int32(reinterpret_uint16(h)))");
  expect_refused([&] { return join({b, b, b}); }, "a word is joined from two halves or four bytes");
  expect_refused([&] { return join({x, x}); },
                 "a word is joined from integers, or two floats of 16 bits, not from float32");
  expect_refused([&] { return dot(Intrinsic::kFma, n, n, n); }, "fma is no product of words");
  expect_refused([&] { return dot(Intrinsic::kDotBF16, n, n, n); }, "dot_bf16 is not of type float32");
  expect_refused([&] { return dot(Intrinsic::kDotBF16, x, x, n); }, "an argument of dot_bf16 is not of type int32");
  expect_refused([&] { return dot(Intrinsic::kDotU8S8, x, n, n); }, "dot_u8s8 is not of type int32");
}

TEST(Words, DotsAddTheProductsOfTheirParts) {
  const Scalar bytes[] = {integer_scalar(1000), word(0xff80027fU), word(0x80ff0302U)};
  // As uint8: 127, 2, 128, 255; as int8: 127, 2, -128, -1; the second: 2, 3, -1, -128.
  EXPECT_EQ(apply_intrinsic(Intrinsic::kDotU8S8, kInt32, bytes).i, 1000 + 254 + 6 - 128 - 255 * 128);
  EXPECT_EQ(apply_intrinsic(Intrinsic::kDotS8S8, kInt32, bytes).i, 1000 + 254 + 6 + 128 + 128);
  const Scalar shorts[] = {integer_scalar(5), word(0x8000ffffU), word(0x80000003U)};
  EXPECT_EQ(apply_intrinsic(Intrinsic::kDotS16, kInt32, shorts).i, 5 - 3 + 32768 * 32768);
  const Scalar large[] = {integer_scalar(0x7fffffff), word(1), word(1)};
  EXPECT_EQ(apply_intrinsic(Intrinsic::kDotS8S8, kInt32, large).i, -0x7fffffff - 1) << "it wraps around";
  const Scalar floats[] = {float_scalar(0.5), word(0x40003f80U), word(0xc0403f00U)};
  EXPECT_EQ(apply_intrinsic(Intrinsic::kDotBF16, kFloat32, floats).f, 0.5 + 1 * 0.5 + 2 * -3);
}

}  // namespace
}  // namespace nestwright::ir
