#include "ir/traversal/linear.h"

#include <gtest/gtest.h>

#include "ir/traversal/equal.h"

namespace nestwright::ir {
namespace {

TEST(Linear, CollectsAndPrintsCanonically) {
  const Var x("x"), y("y");
  const Expr q = Expr(x) / 3;
  const Linear sum = to_linear((Expr(x) + 2) * 3 - (Expr(y) - q) + q - 4 * (Expr(x) - Expr(x) + 1));
  EXPECT_EQ(sum.constant, 2);
  EXPECT_EQ(sum.coefficient(x), 3);
  EXPECT_EQ(sum.coefficient(y), -1);
  ASSERT_EQ(sum.terms.size(), 3u);
  EXPECT_EQ(sum.terms[2].coefficient, 2);
  EXPECT_TRUE(sum.is_nonlinear_in(x));
  EXPECT_FALSE(sum.is_nonlinear_in(y));
  EXPECT_TRUE(equal(to_linear(-Expr(x) + Expr(y)).expr(), Expr(y) - Expr(x)));
  EXPECT_TRUE(equal(to_linear(Expr(5) - Expr(x)).expr(), Expr(5) - Expr(x)));
  EXPECT_TRUE(equal(to_linear(Expr(x) + Expr(-5)).expr(), Expr(x) - 5));
  EXPECT_TRUE(to_linear(Expr(x) + Expr(y) - Expr(x) - Expr(y)).is_constant());
  EXPECT_TRUE(is_const_int(to_linear((Expr(x) + 2) - Expr(x)).expr(), 2));
}

TEST(Linear, ProductsOfVariablesAreAtoms) {
  const Var x("x"), n("n");
  const Linear sum = to_linear(Expr(x) * n + Expr(x) * n + 1);
  ASSERT_EQ(sum.terms.size(), 1u);
  EXPECT_EQ(sum.terms[0].coefficient, 2);
  EXPECT_TRUE(sum.is_nonlinear_in(n));
}

TEST(Linear, IndicesThatAreNeverEqual) {
  const Var x("x"), y("y");
  EXPECT_TRUE(never_equal(Expr(x) + 1, x));
  EXPECT_TRUE(never_equal(Expr(x) * 2 + y, Expr(y) - 3 + Expr(x) * 2));
  EXPECT_TRUE(never_equal(Expr(x) % 2, (Expr(x) + 1) % 2));
  EXPECT_TRUE(never_equal((Expr(x) - y) % 3, (Expr(x) - y + 4) % 3));
  EXPECT_FALSE(never_equal(x, x));
  EXPECT_FALSE(never_equal(x, y));
  EXPECT_FALSE(never_equal(Expr(x) % 2, (Expr(x) + 2) % 2));
  EXPECT_FALSE(never_equal(Expr(x) % 2, (Expr(y) + 1) % 2));
  EXPECT_FALSE(never_equal(Expr(x) % 2, (Expr(x) + 1) % 3));
  EXPECT_FALSE(never_equal(Expr(x) / 2, (Expr(x) + 1) / 2));
  EXPECT_FALSE(never_equal(Expr(x) % y, (Expr(x) + 1) % y));
  const Expr data = make_load(Buffer("X", kInt64, {4}), {x});
  EXPECT_FALSE(never_equal(data % 3, (data + 1) % 3)) << "of the largest integer both are 1";
}

TEST(Linear, NestedProductsTakeLinearTime) {
  const Var x("x");
  Expr power = x;
  for (int n = 0; n < 60; ++n) power = power * x;
  EXPECT_EQ(to_linear(power).terms.size(), 1U);
}

}  // namespace
}  // namespace nestwright::ir
