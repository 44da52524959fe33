#include "ir/analysis/bounds.h"

#include <gtest/gtest.h>

#include "nestwright/program.h"

namespace nestwright::ir {
namespace {

TEST(Bounds, OfEveryOperation) {
  const Var a("a"), b("b");
  Ranges ranges;
  ranges.bind(a, {-3, 5});
  ranges.bind(b, {2, 4});
  const auto expect = [&](const Expr& e, std::int64_t lo, std::int64_t hi) {
    const Interval found = bounds(e, ranges);
    EXPECT_EQ(found.lo, lo) << to_string(e);
    EXPECT_EQ(found.hi, hi) << to_string(e);
  };
  expect(Expr(a) + b, -1, 9);
  expect(Expr(a) - b, -7, 3);
  expect(Expr(a) - a, 0, 0);
  expect(Expr(a) * b, -12, 20);
  expect(Expr(a) / b, -2, 2);
  expect(Expr(a) % b, 0, 3);
  expect(Expr(a) % 16, 0, 15);
  expect(Expr(b) % 8, 2, 4);
  expect(min(a, b), -3, 4);
  expect(max(a, b), 2, 5);
  expect(select(Expr(a) < 0, Expr(a), Expr(b)), -3, 5);
  expect(cast(kIndex, Expr(a) < b), 0, 1);
  expect(make_cast(kInt8, a), -3, 5);
  expect(cast(kIndex, Var("x", kUInt8)), 0, 255);
  EXPECT_FALSE(bounds(Var("free"), ranges).bounded());
  const Var zero("zero");
  ranges.bind(zero, {0, 0});
  EXPECT_FALSE(bounds(Expr(12) / zero, ranges).bounded()) << "of what is not used";
}

TEST(Bounds, OfDataThatMayWrapAreUnknown) {
  const Buffer data("data", kUInt32, {Expr(8)});
  const Expr a = cast(kIndex, make_load(data, {0})), b = cast(kIndex, make_load(data, {1}));
  EXPECT_EQ(bounds(a * b, {}).lo, Interval::kMin);
  EXPECT_EQ(bounds(a * 16, {}).lo, 0);
  const Expr whole = make_load(Buffer("whole", kInt64, {Expr(8)}), {0});
  EXPECT_EQ(bounds(make_call(Intrinsic::kAbs, {whole}, kIndex), {}).lo, Interval::kMin);
  EXPECT_EQ(bounds(make_call(Intrinsic::kAbs, {a}, kIndex), {}).lo, 0);
}

TEST(Bounds, OfNestedConditionsTakeNoLongerThanTheirSize) {
  for (const Type type : {kInt32, kInt64}) {
    Expr nested = make_load(Buffer("data", type, {Expr(8)}), {0});
    for (int depth = 1; depth <= 60; ++depth) {
      const auto literal = [&](int value) { return make_int(value, type); };
      nested = select(nested > literal(0), literal(depth), literal(-depth));
    }
    const Interval found = bounds(nested, {});
    EXPECT_EQ(found.lo, -60);
    EXPECT_EQ(found.hi, 60);
  }
}

TEST(Bounds, EffortZeroTriesIntervalsAlone) {
  const Var outer("outer"), inner("inner"), n("n");
  Ranges ranges;
  ranges.bind(n, Interval{1, Interval::kMax});
  ranges.bind(outer, Interval{0, Interval::kMax});
  ranges.bind(inner, Interval{0, 15});
  ranges.assume(Expr(outer) * 16 + inner < n);
  const Linear slack = to_linear(Expr(n) - Expr(outer) * 16 - inner);
  EXPECT_FALSE(at_least(slack, 1, ranges, 0));
  EXPECT_TRUE(at_least(slack, 1, ranges, 1));
  EXPECT_FALSE(at_least(slack, 2, ranges));
  EXPECT_EQ(interval_bounds(slack, ranges).lo, Interval::kMin);
  EXPECT_EQ(bounds(slack.expr(), ranges).lo, 1);
}

TEST(Bounds, ConditionsThatAlwaysHoldOrNever) {
  const Var i("i");
  Ranges ranges;
  ranges.bind(i, {0, 7});
  EXPECT_TRUE(is_always_true(Expr(i) < 8 && Expr(i) >= 0, ranges));
  EXPECT_TRUE(is_always_false(Expr(i) > 7, ranges));
  EXPECT_FALSE(is_always_true(Expr(i) < 7, ranges));
  EXPECT_FALSE(is_always_false(Expr(i) < 7, ranges));
}

}  // namespace
}  // namespace nestwright::ir
