#include "ir/analysis/ranges.h"

#include <gtest/gtest.h>

#include "ir/analysis/bounds.h"

namespace nestwright::ir {
namespace {

TEST(Ranges, ResetEndsAScope) {
  const Var i("i"), j("j"), n("n");
  Ranges ranges;
  ranges.bind(i, {0, 31});
  ranges.bind(n, Interval{1, Interval::kMax});
  const Ranges::Mark outer = ranges.mark();
  ranges.set_interval(i, {8, 15});
  ranges.set_interval(j, {0, 3});
  const Ranges::Mark inner = ranges.mark();
  ranges.set_interval(i, {8, 8});
  ranges.add_fact(to_linear(Expr(n) - i - 1));
  EXPECT_TRUE(ranges.find(i).is_point());
  EXPECT_TRUE(at_least(to_linear(Expr(n) - i), 1, ranges));
  ranges.reset(inner);
  EXPECT_EQ(ranges.find(i).hi, 15);
  EXPECT_EQ(ranges.find(j).hi, 3);
  EXPECT_FALSE(at_least(to_linear(Expr(n) - i), 1, ranges));
  ranges.reset(outer);
  EXPECT_EQ(ranges.find(i).lo, 0);
  EXPECT_EQ(ranges.find(i).hi, 31);
  EXPECT_FALSE(ranges.find(j).bounded());
}

TEST(Ranges, AssumptionsNarrowTheNewestInterval) {
  const Var i("i");
  Ranges ranges;
  ranges.bind(i, {0, 31});
  ranges.set_interval(i, {8, 15});
  ranges.assume(Expr(i) < 12);
  EXPECT_EQ(ranges.find(i).lo, 8);
  EXPECT_EQ(ranges.find(i).hi, 11);
}

}  // namespace
}  // namespace nestwright::ir
