// The pass unswitch: which loops get versions, their text, and their results against the unscheduled program's.
#include <gmock/gmock.h>

#include <functional>

#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "nestwright/schedule.h"
#include "run_program.h"
#include "tests/support/cpu_target.h"

namespace nestwright::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// The kernel after the pass; its results are right.
std::string unswitched(const Schedule& s, const std::vector<Tensor>& args) {
  expect_same_results(s, {args.back()}, args);
  std::string text;
  const Target target = cpu_target(CpuIsa::kAvx512);
  expand(lower(s, args, target, "f"), target,
         {.after_pass =
              [&](std::string_view pass, const ir::Program& program, std::int64_t) {
                if (pass == "unswitch") text = ir::to_string(program.kernels[0].body);
              },
          .verify = true});
  return text;
}

/// C[i] = sum(r, k, X[i + r - before, k] * W[r, k]) of n results and a border of `before` rows and of `after`.
struct Convolution {
  Convolution(std::int64_t n, std::int64_t before, std::int64_t after)
      : x(placeholder({n, 8}, kFloat32, "X")),
        w(placeholder({before + after + 1, 8}, kFloat32, "W")),
        p(compute(
            {n + before + after, 8},
            [&](Expr i, Expr j) { return select(i >= before && i < n + before, x(i - before, j), 0.0); }, "P")),
        r(reduce_axis(before + after + 1, "r")),
        c(compute(
            {n}, [&](Expr i) { return sum(p(i + r, k) * w(r, k), {r, k}); }, "C")),
        s(create_schedule(c)) {
    s[p].compute_inline();
  }

  std::vector<Tensor> args() const { return {x, w, c}; }

  Tensor x, w, p;
  IterVar r, k = reduce_axis(8, "k");
  Tensor c;
  Schedule s;
};

TEST(Unswitch, TestsAConditionOutsideOfTheLoopsThatDoNotChangeIt) {
  const Convolution of(7, 1, 0);
  EXPECT_EQ(unswitched(of.s, of.args()),
            "for i in 0..7:\n"
            "  C[i] = 0.0\n"
            "  for r in 0..2:\n"
            "    if i + r >= 1:\n"
            "      for k in 0..8:\n"
            "        C[i] = C[i] + X[i + r - 1, k]*W[r, k]\n"
            "    else:\n"
            "      for k_1 in 0..8:\n"
            "        C[i] = C[i] + 0.0*W[r, k_1]\n");
}

TEST(Unswitch, KnowsWhatOtherConditionsImply) {
  // Three versions, not four: no row is before the first and after the last.
  const Convolution of(5, 1, 1);
  EXPECT_EQ(unswitched(of.s, of.args()),
            "for i in 0..5:\n"
            "  C[i] = 0.0\n"
            "  for r in 0..3:\n"
            "    if i + r >= 1:\n"
            "      if i + r < 6:\n"
            "        for k in 0..8:\n"
            "          C[i] = C[i] + X[i + r - 1, k]*W[r, k]\n"
            "      else:\n"
            "        for k_1 in 0..8:\n"
            "          C[i] = C[i] + 0.0*W[r, k_1]\n"
            "    else:\n"
            "      for k_2 in 0..8:\n"
            "        C[i] = C[i] + 0.0*W[r, k_2]\n");
}

TEST(Unswitch, MakesAVersionForTheRowsAtABorder) {
  Convolution of(12, 1, 0);
  const auto [tile, row] = of.s[of.c].split(of.s[of.c].axis(0), factor(3));
  of.s[of.c].reorder({tile, of.r, of.k, row}).unroll(row);
  EXPECT_EQ(unswitched(of.s, of.args()),
            "for i.outer in 0..4:\n"
            "  C[i.outer*3] = 0.0\n"
            "  C[i.outer*3 + 1] = 0.0\n"
            "  C[i.outer*3 + 2] = 0.0\n"
            "  for r in 0..2:\n"
            "    if i.outer*3 + r >= 1:\n"
            "      for k in 0..8:\n"
            "        C[i.outer*3] = C[i.outer*3] + X[i.outer*3 + r - 1, k]*W[r, k]\n"
            "        C[i.outer*3 + 1] = C[i.outer*3 + 1] + X[i.outer*3 + 1 + r - 1, k]*W[r, k]\n"
            "        C[i.outer*3 + 2] = C[i.outer*3 + 2] + X[i.outer*3 + 2 + r - 1, k]*W[r, k]\n"
            "    else:\n"
            "      for k_1 in 0..8:\n"
            "        C[i.outer*3] = C[i.outer*3] + 0.0*W[r, k_1]\n"
            "        C[i.outer*3 + 1] = C[i.outer*3 + 1] + X[i.outer*3 + 1 + r - 1, k_1]*W[r, k_1]\n"
            "        C[i.outer*3 + 2] = C[i.outer*3 + 2] + X[i.outer*3 + 2 + r - 1, k_1]*W[r, k_1]\n");
}

TEST(Unswitch, LeavesLoopsWithManyConditions) {
  Convolution of(32, 8, 0);
  const auto [tile, row] = of.s[of.c].split(of.s[of.c].axis(0), factor(8));
  of.s[of.c].reorder({tile, of.r, of.k, row}).unroll(row);
  const std::string text = unswitched(of.s, of.args());
  EXPECT_THAT(text, HasSubstr("X[i.outer*8 + r - 8, k] if i.outer*8 + r >= 8"));
  EXPECT_THAT(text, Not(HasSubstr("else:")));
}

TEST(Unswitch, LeavesMasksOfVectors) {
  Convolution of(32, 1, 0);
  const auto [vector, lane] = of.s[of.c].split(of.s[of.c].axis(0), factor(16));
  of.s[of.c].reorder({vector, of.r, of.k, lane}).vectorize(lane);
  EXPECT_THAT(unswitched(of.s, of.args()), Not(HasSubstr("else:")));
}

TEST(Unswitch, CopiesNoParallelLoop) {
  const Tensor x = placeholder({5, 8}, kFloat32, "X"), w = placeholder({8, 16}, kFloat32, "W");
  const IterVar k = reduce_axis(8, "k");
  const Tensor p = compute({6, 8}, [&](Expr i, Expr j) { return select(i >= 1, x(i - 1, j), 0.0); }, "P");
  const Tensor c = compute({6, 16}, [&](Expr i, Expr j) { return sum(p(i, k) * w(k, j), k); }, "C");
  Schedule s = create_schedule(c);
  s[p].compute_inline();
  s[c].reorder({s[c].axis(0), k, s[c].axis(1)});
  EXPECT_THAT(unswitched(s, {x, w, c}), HasSubstr("else:"));
  s[c].parallel(s[c].axis(1));
  EXPECT_THAT(unswitched(s, {x, w, c}), Not(HasSubstr("else:")));
}

}  // namespace
}  // namespace nestwright::testing
