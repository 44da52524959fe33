#include <gtest/gtest.h>

#include "expect_usage_error.h"
#include "nestwright/tensor.h"

namespace nestwright {
namespace {

TEST(CountFlops, MatmulIsTwiceItsVolume) {
  const Tensor a = placeholder({37, 41}, kFloat32, "A"), b = placeholder({41, 53}, kFloat32, "B");
  const IterVar k = reduce_axis(41, "k");
  const Tensor c = compute({37, 53}, [&](Expr i, Expr j) { return sum(a(i, k) * b(k, j), k); }, "C");
  EXPECT_EQ(count_flops(c), 2.0 * 37 * 53 * 41);
}

TEST(CountFlops, CountsWhatATensorIsMadeFromOnce) {
  const Tensor a = placeholder({10}, kFloat32, "A");
  const Tensor b = compute({10}, [&](Expr i) { return a(i) * 2.0 + 1.0; }, "B");  // 20
  const Tensor c = compute({10}, [&](Expr i) { return b(i) * b(i); }, "C");       // 10
  const Tensor d = compute({10}, [&](Expr i) { return b(i) + c(i); }, "D");       // 10
  EXPECT_EQ(count_flops(a), 0);
  EXPECT_EQ(count_flops(d), 40);
}

TEST(CountFlops, LeavesIndicesAndConditionsOut) {
  const Tensor a = placeholder({10}, kFloat32, "A");
  const Tensor padded = compute({14}, [&](Expr i) { return ir::select(i >= 2 && i < 12, a(i - 2), Expr(0.0)); }, "P");
  EXPECT_EQ(count_flops(padded), 0);
}

TEST(CountFlops, NeedsConstants) {
  const Var n = var("n");
  const Tensor a = placeholder({n}, kFloat32, "A");
  const Tensor b = compute({n}, [&](Expr i) { return a(i) + 1.0; }, "B");
  expect_usage_error([&] { count_flops(b); },
                     "the operations of tensor 'B' cannot be counted: the extent of axis 'i' is symbolic");
}

}  // namespace
}  // namespace nestwright
