// What makes an expression without a cast: unsigned numbers, sizes, compound assignment, comparisons of axes.
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <set>

#include "nestwright/program.h"
#include "nestwright/tensor.h"
#include "tests/expression/expect_usage_error.h"

namespace nestwright {
namespace {

TEST(Conversions, UnsignedNumbersAndSizesAreIndices) {
  const std::vector<int> three(3);
  const Expr n = var("n");
  EXPECT_EQ(ir::to_string(n * three.size() + 2U), "n*3 + 2");
  EXPECT_EQ(Expr(3U).type(), ir::Type{kIndex});
  EXPECT_EQ(*ir::as_const_int(Expr(std::numeric_limits<unsigned>::max())), 4294967295);
  expect_usage_error([] { return Expr(std::numeric_limits<std::size_t>::max()); },
                     "the literal 18446744073709551615 is above the largest int64: an index has this type");
}

TEST(Conversions, CompoundAssignment) {
  const Expr n = var("n");
  Expr e = n;
  e += 1;
  e *= n;
  e -= 2U;
  e /= 3;
  EXPECT_EQ(ir::to_string(e), "((n + 1)*n - 2)/3");
}

TEST(Conversions, AnUndefinedExpressionHasNoType) {
  expect_usage_error([] { Expr().type(); }, "an undefined expression has no type: give it a value first");
  expect_usage_error([] { Expr().lanes(); }, "an undefined expression has no type");
}

TEST(Conversions, AxesAreComparedByValueInExpressions) {
  const Tensor a = placeholder({8, 8}, kFloat32, "A");
  const IterVar k = reduce_axis(8, "k"), l = reduce_axis(8, "l");
  const Var n = var("n");
  const auto text = [](const Expr& e) { return ir::to_string(e); };
  EXPECT_EQ(text(k < 3), "k < 3");
  EXPECT_EQ(text(3 >= k), "3 >= k");
  EXPECT_EQ(text(k < l), "k < l");
  EXPECT_EQ(text(k <= n), "k <= n");
  EXPECT_EQ(text(k == 3), "k == 3");
  EXPECT_EQ(text(k == l), "k == l");
  EXPECT_EQ(text(k != l), "k != l");
  EXPECT_EQ(text(!(k == l)), "k != l");
  EXPECT_EQ(text(k == l && k < 3), "k == l && k < 3");
  const Tensor trace = compute({1}, [&](Expr) { return sum(select(k == l, a(k, l), 0.0), {k, l}); }, "trace");
  EXPECT_EQ(ir::to_string(trace.op().compute()->bodies[0]), "sum(select(k == l, A[k, l], 0.0), k in 0..8, l in 0..8)");
}

TEST(Conversions, JoinedComparisonsOfAxesAreExpressions) {
  const IterVar k = reduce_axis(8, "k"), l = reduce_axis(8, "l"), m = reduce_axis(8, "m");
  const auto text = [](const Expr& e) { return ir::to_string(e); };
  EXPECT_EQ(text(k == l && l == m), "k == l && l == m");
  EXPECT_EQ(text(k == l || l != m), "k == l || l != m");
  EXPECT_EQ(text(k == l && l == m && k != m), "k == l && l == m && k != m");
  EXPECT_EQ(text((k == l || l == m) && k < 3), "(k == l || l == m) && k < 3");
  EXPECT_EQ(text(!(k == l && l == m)), "k != l || l != m");
  EXPECT_EQ(text(cast(kFloat32, k == l && l == m)), "float32(k == l && l == m)");
  const Tensor a = placeholder({8, 8}, kFloat32, "A");
  EXPECT_EQ(text(select(k == l && l == m, a(k, l), 0.0)), "select(k == l && l == m, A[k, l], 0.0)");
}

TEST(Conversions, JoinedComparisonsOfAxesAreConditions) {
  const IterVar k = reduce_axis(8, "k"), l = reduce_axis(8, "l");
  const Var n = var("n"), m = var("m");
  EXPECT_TRUE(k == k && l == l);
  EXPECT_FALSE(k == k && k == l);
  EXPECT_TRUE(k == l || l == l);
  EXPECT_TRUE(!(k == l || n == m));
  EXPECT_TRUE(k == k && n == n && n != m);
  const bool given = true;
  EXPECT_TRUE(given && k == k);
  EXPECT_FALSE(k == l && given);
  EXPECT_TRUE(IterVar() == IterVar() && Var() == Var()) << "an undefined one has no value, but is compared";
}

TEST(Conversions, SymbolsAreComparedByValueInExpressions) {
  const Var n = var("n"), m = var("m");
  const IterVar k = reduce_axis(8, "k"), l = reduce_axis(8, "l");
  const auto text = [](const Expr& e) { return ir::to_string(e); };
  EXPECT_EQ(text(n < m), "n < m");
  EXPECT_EQ(text(m < n), "m < n");
  EXPECT_EQ(text(n <= m), "n <= m");
  EXPECT_EQ(text(n == m), "n == m");
  EXPECT_EQ(text(n != m), "n != m");
  EXPECT_EQ(text(!(n == m)), "n != m");
  EXPECT_EQ(text(n == m && k == l), "n == m && k == l");
  EXPECT_EQ(text(select(n == m || n < m, k, l)), "select(n == m || n < m, k, l)");
  EXPECT_EQ((std::set<Var>{n, m, n}).size(), 2U);
  EXPECT_TRUE(n == n && n != m);
}

TEST(Conversions, AxesAreIdentifiedByTheirVariable) {
  const IterVar k = reduce_axis(8, "k"), l = reduce_axis(8, "k");
  const IterVar again(k.var(), Expr(0), Expr(4), AxisKind::kReduce);
  EXPECT_TRUE(k == again);
  EXPECT_TRUE(k != l);
  EXPECT_TRUE(!(k == l));
  EXPECT_FALSE(k == IterVar());
  EXPECT_EQ((std::set<IterVar>{k, l, again}).size(), 2U);
  EXPECT_EQ((std::map<IterVar, int>{{k, 1}, {l, 2}}).at(again), 1);
  const std::vector<IterVar> axes{l, k};
  EXPECT_EQ(std::find(axes.begin(), axes.end(), again) - axes.begin(), 1);
}

}  // namespace
}  // namespace nestwright
