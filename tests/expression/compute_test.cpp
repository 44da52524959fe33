#include <gtest/gtest.h>

#include "expect_usage_error.h"
#include "expression/tensor.h"
#include "ir/print.h"

namespace nestwright {
namespace {

class Compute : public testing::Test {
 protected:
  const Tensor a = placeholder({8, 16}, kFloat32, "A");
  const Tensor b = placeholder({16, 4}, kFloat32, "B");
  const IterVar k = reduce_axis(16, "k");
};

TEST_F(Compute, MatmulIsASumOverItsAxis) {
  const Tensor c = compute({8, 4}, [&](Expr i, Expr j) { return sum(a(i, k) * b(k, j), k); }, "C");
  const ComputeOp* op = c.op().compute();
  ASSERT_NE(op, nullptr);
  ASSERT_EQ(op->axes.size(), 2u);
  EXPECT_TRUE(ir::is_const_int(op->axes[1].extent(), 4));
  EXPECT_FALSE(op->axes[0].is_reduce());
  EXPECT_EQ(op->reduce_axes, std::vector<IterVar>{k});
  EXPECT_TRUE(op->reduce_axes[0].is_reduce());
  EXPECT_EQ(c.dtype(), kFloat32);
  EXPECT_EQ(c.op()->inputs, (std::vector<Operation>{a.op(), b.op()}));
  const auto* reduce = op->reduction();
  ASSERT_NE(reduce, nullptr);
  EXPECT_EQ(reduce->reducer, ir::ReducerKind::kSum);
  EXPECT_EQ(ir::to_string(reduce->values[0]), "A[i, k]*B[k, j]");
}

TEST_F(Compute, TakesAnyRank) {
  const Tensor zero = compute({}, [&] { return a(0, 0); }, "Z");
  EXPECT_EQ(zero.rank(), 0);
  EXPECT_EQ(ir::to_string(zero.op().compute()->bodies[0]), "A[0, 0]");
  const Tensor spanned =
      compute({8, 16}, [&](std::span<const Expr> at) { return a.at({at.begin(), at.end()}) * 2.0; }, "S");
  EXPECT_EQ(ir::to_string(spanned.op().compute()->bodies[0]), "A[i, j]*2.0");
  const Tensor eight = compute(
      {1, 2, 3, 4, 5, 6, 7, 8},
      [](Expr, Expr, Expr, Expr, Expr, Expr, Expr, Expr last) { return ir::cast(kFloat32, last); }, "E");
  EXPECT_EQ(eight.rank(), 8);
  EXPECT_TRUE(eight.op()->inputs.empty());
}

TEST_F(Compute, RefusesABodyOfAnotherRank) {
  expect_usage_error([&] { compute({8, 4}, [&](Expr i) { return a(i, 0); }, "C"); },
                     "the shape has 2 dimensions, but the body takes 1 indices");
  expect_usage_error([&] { compute({8}, [&] { return a(0, 0); }, "C"); }, "but the body takes 0 indices");
}

TEST_F(Compute, RefusesAReductionThatIsNotTheWholeBody) {
  const std::string message = "tensor 'C' has a reduction inside its body: make another tensor of it";
  expect_usage_error([&] { compute({8, 4}, [&](Expr i, Expr j) { return sum(a(i, k) * b(k, j), k) + 1.0; }, "C"); },
                     message);
  const IterVar l = reduce_axis(4, "l");
  expect_usage_error([&] { compute({8}, [&](Expr i) { return sum(sum(a(i, k) * b(k, l), k), l); }, "C"); }, message);
}

TEST_F(Compute, RefusesAxesThatCannotBeReduced) {
  const Tensor c = compute({8, 4}, [&](Expr i, Expr j) { return a(i, j); }, "C");
  expect_usage_error([&] { sum(a(0, k), c.op().compute()->axes[0]); },
                     "axis 'i' cannot be reduced over: make it by reduce_axis");
  expect_usage_error([&] { sum(a(0, k), {k, k}); }, "reduce axis 'k' is named twice in one reduction");
  expect_usage_error([&] { sum(a(0, k), std::vector<IterVar>{}); }, "a reduction needs an axis");
  expect_usage_error([&] { sum(a(0, k), IterVar()); }, "an axis of a reduction is undefined");
  expect_usage_error([&] { sum(Expr(), k); }, "the value of a reduction is undefined");
  expect_usage_error([&] { reduce(ir::ReducerKind::kAny, a(0, k), {k}); },
                     "a value of type float32 cannot be combined by any");
}

TEST_F(Compute, RefusesADomainThatDependsOnAnIndex) {
  expect_usage_error(
      [&] {
        compute(
            {8},
            [&](Expr i) {
              const IterVar triangle = reduce_axis(i + 1, "t");
              return sum(a(i, triangle), triangle);
            },
            "C");
      },
      "the domain of reduce axis 't' depends on an index of tensor 'C'");
}

TEST_F(Compute, RefusesMismatchedTypes) {
  const Tensor d = placeholder({8, 16}, kFloat64, "D");
  expect_usage_error([&] { compute({8, 16}, [&](Expr i, Expr j) { return a(i, j) + d(i, j); }, "C"); },
                     "float32 and float64");
  expect_usage_error([&] { compute({8}, [](Expr) { return Expr(); }, "C"); }, "the body of tensor 'C' is undefined");
  expect_usage_error([&] { compute({8, 0}, [&](Expr i, Expr j) { return a(i, j); }, "C"); },
                     "extent 1 of tensor 'C' is 0");
}

TEST_F(Compute, RefusesATensorThatIsGone) {
  Expr dangling;
  {
    const Tensor gone = placeholder({8}, kFloat32, "gone");
    dangling = gone(0);
  }
  expect_usage_error([&] { compute({8}, [&](Expr) { return dangling; }, "C"); },
                     "tensor 'C' reads 'gone', which no longer exists: keep the Tensor");
}

TEST_F(Compute, FreeVariablesAreSymbols) {
  const Var alpha = var("alpha", kFloat32), n = var("n");
  const Tensor x = placeholder({n}, kFloat32, "X");
  const Tensor y = compute({n}, [&](Expr i) { return alpha * x(i); }, "Y");
  EXPECT_EQ(to_string(y.op()), "Y: float32[n], Y[i] = alpha*X[i]");
  EXPECT_EQ(to_string(x.op()), "X: float32[n]");
}

}  // namespace
}  // namespace nestwright
