// rfactor, storage_align and pragma, lowered: their loops as printed, and results against the schedule of defaults.
#include <gmock/gmock.h>

#include "ir/core/print.h"
#include "lower/lower.h"
#include "matmul_schedule.h"
#include "run_program.h"

namespace nestwright::testing {
namespace {

Target cpu() {
  Target t;
  t.isa = CpuIsa::kAvx512;
  t.vector_bits = 512;
  return t;
}

ir::Program lowered(const Schedule& s, const std::vector<Tensor>& args) { return lower(s, args, cpu(), "f"); }

/// The loop form and the vector form of `s` give what the schedule of defaults gives.
void expect_same_results(const Schedule& s, const std::vector<Tensor>& outputs, const std::vector<Tensor>& args) {
  const auto expected = run_program(lowered(create_schedule(outputs), args));
  const ir::Program loops = lowered(s, args);
  EXPECT_EQ(run_program(loops, 3), expected) << ir::to_string(loops);
  EXPECT_EQ(run_program(expand(loops, cpu()), 4), expected) << ir::to_string(expand(loops, cpu()));
}

TEST(LowerRfactor, PartialResultsWithATail) {
  const Tensor A = placeholder({5, 10}, kFloat32, "A");
  const IterVar k = reduce_axis(10, "k");
  const Tensor B = compute({5}, [&](Expr i) { return sum(A(i, k), k); }, "B");
  Schedule s = create_schedule(B);
  const auto [ko, ki] = s[B].split(k, factor(4));
  const Tensor P = s.rfactor(B, ki);
  s[P].vectorize(s[P].axis(0)).parallel(s[P].axis(1)).reorder({s[P].axis(1), s[P].reduce_axis(0), s[P].axis(0)});
  EXPECT_EQ(ir::to_string(lowered(s, {A, B}).kernels[0].body),
            "global B.rf: float32[4, 5]\n"
            "parallel i in 0..5:\n"
            "  vectorized k.inner in 0..4:\n"
            "    B.rf[k.inner, i] = 0.0\n"
            "  for k.outer in 0..3:\n"
            "    vectorized k.inner_1 in 0..4:\n"
            "      B.rf[k.inner_1, i] = B.rf[k.inner_1, i] + (A[i, k.outer*4 + k.inner_1] if k.outer*4 + k.inner_1 < "
            "10)\n"
            "for i_1 in 0..5:\n"
            "  B[i_1] = 0.0\n"
            "  for k.inner.v in 0..4:\n"
            "    B[i_1] = B[i_1] + B.rf[k.inner.v, i_1]\n");
  expect_same_results(s, {B}, {A, B});
}

TEST(LowerRfactor, EveryReducerAndEveryLoop) {
  using ir::ReducerKind;
  for (const ReducerKind kind : {ReducerKind::kSum, ReducerKind::kProd, ReducerKind::kMin, ReducerKind::kMax}) {
    for (const int which : {0, 1, 2}) {
      const Tensor A = placeholder({3, 7, 4}, kFloat32, "A");
      const IterVar k = reduce_axis(1, 6, "k"), l = reduce_axis(3, "l");
      const Tensor B = compute({3}, [&](Expr i) { return reduce(kind, A(i, k, l), {k, l}); }, "B");
      Schedule s = create_schedule(B);
      const auto [ko, ki] = s[B].split(k, factor(4));
      const Tensor P = s.rfactor(B, which == 0 ? ko : which == 1 ? ki : l, which % 2);
      s[P].compute_at(s[B], s[B].axis(0));
      expect_same_results(s, {B}, {A, B});
    }
  }
}

TEST(LowerRfactor, FusedLoopsAndAReductionThatIsAllPartial) {
  const Tensor A = placeholder({4, 3, 5}, kFloat32, "A");
  const IterVar k = reduce_axis(3, "k"), l = reduce_axis(5, "l");
  const Tensor B = compute({4}, [&](Expr i) { return sum(A(i, k, l), {k, l}); }, "B");
  Schedule s = create_schedule(B);
  const IterVar both = s[B].fuse(k, l);
  const Tensor P = s.rfactor(B, both);
  EXPECT_EQ(P.op().compute()->reduction(), nullptr);
  s[P].parallel(s[P].axis(0));
  expect_same_results(s, {B}, {A, B});
}

TEST(LowerRfactor, TuplesOfAUserMadeReducer) {
  const Tensor A = placeholder({6, 9}, kFloat32, "A");
  const IterVar k = reduce_axis(9, "k");
  const Reducer argmax("argmax", {Expr(-1.0), min_value(kFloat32)},
                       [](std::span<const Expr> x, std::span<const Expr> y) {
                         const Expr first = x[1] > y[1] || (x[1] == y[1] && x[0] <= y[0] && x[0] >= Expr(0.0));
                         return std::vector<Expr>{select(first, x[0], y[0]), max(x[1], y[1])};
                       });
  const std::vector<Tensor> best =
      compute_tuple({6}, [&](std::span<const Expr> i) { return argmax({cast(kFloat32, k), A(i[0], k)}, {k}); }, "best");
  Schedule s = create_schedule(best);
  const auto [ko, ki] = s[best[0]].split(k, factor(4));
  const Tensor P = s.rfactor(best[0], ki);
  s[P].parallel(s[P].axis(0));
  expect_same_results(s, best, {A, best[0], best[1]});
}

TEST(LowerStorageAlign, PadsRows) {
  const Matmul op = make_matmul(12, 16, 10);
  Schedule s = create_schedule(op.c);
  const auto [io, ii] = s[op.c].split(s[op.c].axis(0), factor(4));
  const Tensor cache = s.cache_read(op.b, ir::Scope::kLocal, {op.c});
  s[cache].compute_at(s[op.c], io).storage_align(s[cache].axis(0), 32, 4);
  s[op.c].vectorize(s[op.c].axis(1));
  s[op.c].reorder({ii, s[op.c].reduce_axis(0), s[op.c].axis(1)});
  EXPECT_THAT(ir::to_string(lowered(s, {op.a, op.b, op.c})),
              ::testing::HasSubstr("  local B.cache: float32[10, 16] strides [36, 1]\n"));
  expect_same_results(s, {op.c}, {op.a, op.b, op.c});
}

TEST(LowerStorageAlign, PadsRowsInTheWorkspaceAndOfALayout) {
  const Matmul op = make_matmul(6, 16, 10);
  Schedule s = create_schedule(op.c);
  const Tensor packed = s.cache_read(op.b, ir::Scope::kGlobal, {op.c});
  const auto at = s.transform_layout(packed, [](auto x) { return std::vector<Expr>{x[1] / 8, x[0], x[1] % 8}; });
  s[packed].storage_align(at[1], 16, 0).storage_align(at[0], 7, 3);
  const ir::Program program = lowered(s, {op.a, op.b, op.c});
  EXPECT_THAT(ir::to_string(program), ::testing::HasSubstr("global B.cache: float32[2, 10, 8] strides [164, 16, 1]\n"));
  EXPECT_EQ(expand(program, cpu()).workspace.shared_bytes, (164 + 9 * 16 + 8) * 4 / 64 * 64 + 64);
  expect_same_results(s, {op.c}, {op.a, op.b, op.c});
}

TEST(LowerPragma, UnrollsInnerLoopsUpToTheSteps) {
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

TEST(LowerPragma, LeavesParallelAndVectorizedLoops) {
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
