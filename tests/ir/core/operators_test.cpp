// The operators on expressions: conversion of operands, folding and neutral elements.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nestwright/error.h"
#include "nestwright/expr_nodes.h"

namespace nestwright::ir {
namespace {

using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

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

TEST(Operators, ALiteralAboveTheLargestInt64KeepsItsValue) {
  const Expr largest = make_int(-1, kUInt64), x = Var("x", kFloat64), n = Var("n");
  EXPECT_EQ((x + largest).as<Binary>()->b.as<FloatImm>()->value, 18446744073709551615.0);
  EXPECT_THAT(
      [&] { return n + largest; },
      ThrowsMessage<UsageError>(Eq("operands of '+' have types int64 and uint64: cast one to the other's type")));
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

}  // namespace
}  // namespace nestwright::ir
