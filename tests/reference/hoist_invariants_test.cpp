#include "reference/hoist_invariants.h"

#include <gtest/gtest.h>

#include "nestwright/expr.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "nestwright/schedule.h"
#include "nestwright/tensor.h"

namespace nestwright {
namespace {

std::string hoisted(std::vector<Tensor> args, const Tensor& output) {
  args.push_back(output);
  return ir::to_string(hoist_invariants(lower(create_schedule({output}), args, Target::parse("cpu"), "sums")));
}

TEST(HoistInvariants, BindsIndicesAndConditionsInTheLoopTheyDependOn) {
  const Tensor x = placeholder({9, 20}, kFloat64, "X");
  const IterVar r = reduce_axis(3, "r"), k = reduce_axis(20, "k");
  const Tensor y = compute(
      {7}, [&](const Expr& i) { return sum(select(i + r >= 1 && k >= 2, x(i + Expr(r), k), 0.0), {r, k}); }, "Y");
  EXPECT_EQ(hoisted({x}, y), R"(program sums(X: float64[9, 20]) -> (Y: float64[7])
  launch sums
  kernel sums:
    for i in 0..7:
      Y[i] = 0.0
      for r in 0..3:
        let invariant0 = i + r >= 1
        let invariant1 = i + r
        for k in 0..20:
          Y[i] = Y[i] + select(invariant0 && k >= 2, X[invariant1, k], 0.0)
)");
}

TEST(HoistInvariants, LeavesWhatReadsDataOrDividesByAVariable) {
  const Tensor x = placeholder({9, 20}, kFloat64, "X"), at = placeholder({7}, kInt64, "at");
  const IterVar k = reduce_axis(20, "k");
  const Tensor y = compute(
      {7},
      [&](const Expr& i) {
        const Expr row = clamp(at(i), Expr(0), Expr(8));
        return sum(x(row, k) * cast(kFloat64, select(i > 0, Expr(5) / i, Expr(0))), k);
      },
      "Y");
  EXPECT_EQ(hoisted({x, at}, y), R"(program sums(X: float64[9, 20], at: int64[7]) -> (Y: float64[7])
  launch sums
  kernel sums:
    for i in 0..7:
      let invariant0 = i >= 1
      Y[i] = 0.0
      for k in 0..20:
        Y[i] = Y[i] + X[min(max(at[i], 0), 8), k]*float64(select(invariant0, 5/i, 0))
)");
}

}  // namespace
}  // namespace nestwright
