#include "ir/core/expr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ir/core/fold.h"
#include "support/error.h"

namespace nestwright::ir {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Type, PrintsAndParses) {
  for (const char* text : {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
                           "bfloat16", "float32", "float64", "float32x16", "int8x64", "boolx4"}) {
    EXPECT_EQ(Type::parse(text).str(), text);
  }
  EXPECT_EQ(Type::parse("float32x16"), kFloat32.with_lanes(16));
}

TEST(Type, RefusesUnknownNamesAndNamesTheKnownOnes) {
  for (const char* text : {"", "float", "float33", "float32x", "float32x1", "float32x0", "float32x99999", "int8x4q"}) {
    EXPECT_THAT([&] { Type::parse(text); }, ThrowsMessage<UsageError>(HasSubstr("use one of bool, int8"))) << text;
  }
}

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

TEST(Operators, LiteralsTakeTheOtherOperandsType) {
  const Var x("x", kFloat32), h("h", kFloat64), i("i", kInt32), n("n");
  EXPECT_EQ((x * 2).type(), kFloat32);
  EXPECT_EQ((1.5 + Expr(h)).type(), kFloat64);
  EXPECT_EQ((Expr(i) + 3).type(), kInt32);
  EXPECT_EQ((Expr(n) < 3).type(), kBool);
  EXPECT_EQ((Expr(2) * Expr(1.5)).type(), kFloat32);
  EXPECT_EQ((Expr(2) * make_int(3, kInt32)).type(), kInt32);
}

TEST(Operators, MismatchesAreRefused) {
  const Var x("x", kFloat32), i("i", kInt32), n("n");
  EXPECT_THAT([&] { return Expr(x) + Expr(n); }, ThrowsMessage<UsageError>(HasSubstr("float32 and int64")));
  EXPECT_THAT([&] { return Expr(i) + Expr(n); }, ThrowsMessage<UsageError>(HasSubstr("int32 and int64")));
  EXPECT_THAT([&] { return Expr(n) + 1.5; }, ThrowsMessage<UsageError>(HasSubstr("cast")));
  EXPECT_THAT([&] { return Expr(n) && Expr(n); }, ThrowsMessage<UsageError>(HasSubstr("compare first")));
  EXPECT_THAT([&] { return Expr(x) % Expr(x); }, ThrowsMessage<UsageError>(HasSubstr("for integers")));
  EXPECT_THAT([&] { return Expr() + Expr(n); }, ThrowsMessage<UsageError>(HasSubstr("undefined")));
  EXPECT_THROW(make_binary(BinaryOp::kAdd, x, n), InternalError);
}

TEST(Operators, DropWhatChangesNothing) {
  const Expr n = Var("n"), x = Var("x", kFloat32), p = Var("p", kBool);
  EXPECT_TRUE((n + 0).same_as(n));
  EXPECT_TRUE((0 + n).same_as(n));
  EXPECT_TRUE((n * 1).same_as(n));
  EXPECT_TRUE(is_const_int(n * 0, 0));
  EXPECT_TRUE((x * 1).same_as(x));
  EXPECT_FALSE((x + 0).same_as(x)) << "-0 + 0 is 0";
  EXPECT_FALSE((x * 0).as<FloatImm>()) << "NaN * 0 is NaN";
  EXPECT_TRUE((p && make_bool(true)).same_as(p));
  EXPECT_TRUE(is_false(p && make_bool(false)));
  EXPECT_TRUE((p || make_bool(false)).same_as(p));
}

TEST(Operators, BroadcastScalarsToVectors) {
  const Expr n = Var("n"), v = make_ramp(n, 1, 8);
  EXPECT_EQ((v + 1).type(), kIndex.with_lanes(8));
  EXPECT_EQ((1 < v).type(), kBool.with_lanes(8));
  EXPECT_THAT([&] { return v + make_ramp(n, 1, 4); }, ThrowsMessage<UsageError>(HasSubstr("8 and 4 lanes")));
}

TEST(Reducer, IdentityIsNeutral) {
  for (const Type type : {kInt8, kUInt8, kInt32, kInt64, kFloat32, kFloat64}) {
    for (const auto kind : {ReducerKind::kSum, ReducerKind::kProd, ReducerKind::kMin, ReducerKind::kMax}) {
      for (const double value : {0.0, 1.0, 7.0, 100.0}) {
        const Expr combined = reducer_combine(kind, reducer_identity(kind, type), make_const(value, type));
        const double result =
            type.is_float() ? combined.as<FloatImm>()->value : static_cast<double>(combined.as<IntImm>()->value);
        EXPECT_EQ(result, value) << reducer_name(kind) << " " << type.str();
      }
    }
  }
  EXPECT_TRUE(is_false(reducer_identity(ReducerKind::kAny, kBool)));
  EXPECT_TRUE(is_true(reducer_identity(ReducerKind::kAll, kBool)));
}

TEST(Buffer, StridesOfACompactOneFollowFromItsShape) {
  const Buffer compact("A", kFloat32, {4, 5, 6});
  EXPECT_TRUE(is_const_int(compact->stride(0), 30));
  EXPECT_TRUE(is_const_int(compact->stride(2), 1));
  EXPECT_EQ(compact->elements(), 120);
  const Buffer padded("A", kFloat32, {4, 5}, Scope::kGlobal, {8, 1});
  EXPECT_TRUE(is_const_int(padded->stride(0), 8));
  EXPECT_THAT([] { return Buffer("B", kFloat32, {4, 5}, Scope::kGlobal, {1}); },
              ThrowsMessage<InternalError>(HasSubstr("one stride a dimension")));
}

}  // namespace
}  // namespace nestwright::ir
