#include "reference/hoist_indices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "nestwright/schedule.h"
#include "nestwright/tensor.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// The text of the program of sums[s] = sum(k, value(s, k)) for some samples and 7 terms, after hoisting.
std::string hoisted(const std::vector<Tensor>& inputs, const std::function<Expr(Expr s, Expr k)>& value,
                    int samples = 100) {
  const IterVar k = reduce_axis(7, "k");
  const Tensor sums = compute({samples}, [&](Expr s) { return sum(value(s, k), k); }, "sums");
  std::vector<Tensor> args = inputs;
  args.push_back(sums);
  return ir::to_string(hoist_indices(lower(create_schedule({sums}), args, Target::parse("cpu"), "samples")));
}

TEST(HoistIndices, BindsEachIndexOnceForAnIteration) {
  const Tensor x = placeholder({14, 7}, kFloat64, "X"), y = placeholder({14, 7}, kFloat64, "Y");
  const Tensor at = placeholder({100}, kInt64, "at");
  const auto row = [&](const Expr& s) { return clamp(at(s), Expr(0), Expr(13)); };
  EXPECT_EQ(hoisted({x, y, at}, [&](const Expr& s, const Expr& k) { return x(row(s), k) * y(row(s), k); }),
            R"(program samples(X: float64[14, 7], Y: float64[14, 7], at: int64[100]) -> (sums: float64[100])
  launch samples
  kernel samples:
    for i in 0..100:
      let index0 = min(max(at[i], 0), 13)
      sums[i] = 0.0
      for k in 0..7:
        sums[i] = sums[i] + X[index0, k]*Y[index0, k]
)");
}

// Lowering removes the loop over a single sample.
TEST(HoistIndices, BindsTheIndicesOfOneSampleAtTheHeadOfTheLoopOverItsTerms) {
  const Tensor x = placeholder({14, 7}, kFloat64, "X"), at = placeholder({1}, kInt64, "at");
  EXPECT_EQ(hoisted(
                {x, at}, [&](const Expr& s, const Expr& k) { return x(clamp(at(s), Expr(0), Expr(13)), k); }, 1),
            R"(program samples(X: float64[14, 7], at: int64[1]) -> (sums: float64[1])
  launch samples
  kernel samples:
    sums[0] = 0.0
    for k in 0..7:
      let index0 = min(max(at[0], 0), 13)
      sums[0] = sums[0] + X[index0, k]
)");
}

// The condition guards the read of X, which may be out of bounds elsewhere.
TEST(HoistIndices, LeavesReadsThatMayBeOutOfBounds) {
  const Tensor x = placeholder({14}, kInt64, "X"), at = placeholder({100}, kInt64, "at");
  const std::string text = hoisted({x, at}, [&](const Expr& s, const Expr& k) {
    const Expr index = at(s);
    return select(index >= 0 && index < 14, x(clamp(index, Expr(0), Expr(13))), k);
  });
  EXPECT_THAT(text, HasSubstr("select(index0 >= 0 && index0 < 14, X[index1], k)")) << text;
  EXPECT_THAT(text, Not(HasSubstr("= X["))) << "X is read under the condition alone\n" << text;
}

TEST(HoistIndices, LeavesListsOfAnotherExtentAndOtherVariables) {
  const Tensor at = placeholder({101}, kInt64, "at"), of_term = placeholder({7}, kInt64, "of_term");
  EXPECT_THAT(hoisted({at}, [&](const Expr& s, const Expr& k) { return at(s) * k; }), Not(HasSubstr("let")));
  EXPECT_THAT(hoisted({of_term}, [&](const Expr&, const Expr& k) { return of_term(k); }), Not(HasSubstr("let")));
}

}  // namespace
}  // namespace nestwright
