// The pragma auto_unroll in loop form, and its results against the unscheduled ones.
#include <gmock/gmock.h>

#include "matmul_schedule.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "run_program.h"
#include "tests/support/cpu_target.h"

namespace nestwright::testing {
namespace {

ir::Program lowered(const Schedule& s, const std::vector<Tensor>& args) {
  return lower(s, args, cpu_target(CpuIsa::kAvx512), "f");
}

TEST(AutoUnroll, UnrollsInnerLoopsUpToTheSteps) {
  const Tensor A = placeholder({4, 8, 3}, kFloat32, "A");
  const Tensor B = compute({4, 8, 3}, [&](Expr i, Expr j, Expr k) { return A(i, j, k) * 2.0; }, "B");
  const auto body = [&](std::int64_t steps) {
    Schedule s = create_schedule(B);
    s[B].pragma(s[B].axis(0), "auto_unroll", steps);
    expect_same_results(s, {B}, {A, B});
    return ir::to_string(lowered(s, {A, B}).kernels[0].body);
  };
  const std::string store = "      B[i, j, k] = A[i, j, k]*2.0\n";
  EXPECT_EQ(body(2), "for i in 0..4:\n  for j in 0..8:\n    for k in 0..3:\n" + store);
  EXPECT_EQ(body(23), "for i in 0..4:\n  for j in 0..8:\n    unrolled k in 0..3:\n" + store);
  EXPECT_EQ(body(24), "for i in 0..4:\n  unrolled j in 0..8:\n    unrolled k in 0..3:\n" + store);
  EXPECT_EQ(body(96), "unrolled i in 0..4:\n  unrolled j in 0..8:\n    unrolled k in 0..3:\n" + store);
}

TEST(AutoUnroll, LeavesParallelAndVectorizedLoops) {
  const Matmul op = make_matmul(4, 16, 3);
  Schedule s = create_schedule(op.c);
  s[op.c].reorder({s[op.c].axis(0), s[op.c].reduce_axis(0), s[op.c].axis(1)});
  s[op.c].parallel(s[op.c].axis(0)).vectorize(s[op.c].axis(1)).pragma(s[op.c].axis(0), "auto_unroll", 100);
  EXPECT_EQ(ir::to_string(lowered(s, {op.a, op.b, op.c}).kernels[0].body),
            "parallel i in 0..4:\n"
            "  vectorized j in 0..16:\n"
            "    C[i, j] = 0.0\n"
            "  unrolled k in 0..3:\n"
            "    vectorized j_1 in 0..16:\n"
            "      C[i, j_1] = C[i, j_1] + A[i, k]*B[k, j_1]\n");
}

}  // namespace
}  // namespace nestwright::testing
