// Expressions that have no meaning are refused where they are written.
#include <gtest/gtest.h>

#include "nestwright/tensor.h"
#include "tests/expression/expect_usage_error.h"

namespace nestwright {
namespace {

TEST(RefusedExpressions, DivisionByTheLiteralZero) {
  const Tensor a = placeholder({8}, kInt32, "A");
  const Expr n = var("n");
  expect_usage_error([&] { n / 0; }, "operator '/' divides n by the literal 0: give another divisor");
  expect_usage_error([&] { n % 0; }, "operator '%' divides n by the literal 0: give another divisor");
  expect_usage_error([&] { a(n) / 0; }, "operator '/' divides A[n] by the literal 0: give another divisor");
  expect_usage_error([] { Expr(5) / 0; }, "operator '/' divides 5 by the literal 0: give another divisor");
  EXPECT_NO_THROW(cast(kFloat32, n) / 0) << "infinity or NaN";
}

TEST(RefusedExpressions, ALongChainOfTensors) {
  Tensor last = placeholder({8}, kFloat32, "A");
  const auto lengthen = [&](int by) {
    for (int t = 0; t < by; ++t) last = compute({8}, [&](Expr i) { return last(i) + 1.0; }, "T");
  };
  lengthen(kMaxChain - 1);
  expect_usage_error(
      [&] { lengthen(20'000); },
      "tensor 'T' ends a chain of more than 1000 tensors: compute a part of them by a function of its own");
}

TEST(RefusedExpressions, AReducerThatDiffersBetweenElements) {
  const Tensor a = placeholder({8, 8}, kInt64, "A");
  const IterVar k = reduce_axis(8, "k");
  const Var n = var("n");
  const auto total = [&](const std::function<Expr(Expr)>& identity, const std::function<Expr(Expr)>& extra) {
    compute(
        {8},
        [&](Expr i) {
          const Reducer mine("mine", {identity(i)}, [&](std::span<const Expr> x, std::span<const Expr> y) {
            return std::vector<Expr>{x[0] + y[0] + extra(i)};
          });
          return mine({a(i, k)}, {k})[0];
        },
        "C");
  };
  const auto zero = [](const Expr&) { return Expr(0); };
  EXPECT_NO_THROW(total([&](const Expr&) { return Expr(n); }, zero));
  expect_usage_error([&] { total([](const Expr& i) { return i * 2; }, zero); },
                     "the identity of reducer 'mine' in tensor 'C', i*2, depends on an index: all elements of the "
                     "tensor share it");
  expect_usage_error([&] { total(zero, [](const Expr& i) { return i; }); },
                     "the combination of reducer 'mine' in tensor 'C', a + b + i, depends on an index");
  expect_usage_error([&] { total([&](const Expr&) { return a(0, 0); }, zero); },
                     "the identity of reducer 'mine' in tensor 'C', A[0, 0], reads a tensor");
}

}  // namespace
}  // namespace nestwright
