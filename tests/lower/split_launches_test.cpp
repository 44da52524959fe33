// Schedules bound to blocks and threads: the host's launches, the kernels, and refusals.
#include <gmock/gmock.h>

#include "cumulative_sum.h"
#include "devices.h"
#include "ir/serialize/serialize.h"
#include "ir/traversal/equal.h"
#include "matmul_schedule.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "run_program.h"
#include "tests/support/message.h"

namespace nestwright::testing {
namespace {

std::string refusal(const Schedule& s, const std::vector<Tensor>& args, const Target& target = device_target()) {
  return message<LowerError>([&] { lower(s, args, target, "f"); });
}

TEST(Launches, AKernelForEachNestWithSymbolicExtents) {
  const Var n = var("n");
  const Tensor A = placeholder({n}, kFloat32, "A");
  const Tensor B = compute({n}, [&](Expr i) { return A(i) + 1.0; }, "B");
  const Tensor C = compute({n}, [&](Expr i) { return B(i) * B(n - 1 - i); }, "C");
  Schedule s = create_schedule(C);
  for (const Tensor& t : {B, C}) {
    const auto [bx, tx] = s[t].split(s[t].axis(0), factor(32));
    s[t].bind(bx, kBlockIdxX).bind(tx, kThreadIdxX);
  }
  const ir::Program program = lower(s, {A, C}, device_target(), "f");
  EXPECT_EQ(
      ir::to_string(program),
      "program f<n>(A: float32[n]) -> (C: float32[n])\n"
      "  global B: float32[n]\n"
      "  launch f_kernel0\n"
      "  launch f_kernel1\n"
      "  kernel f_kernel0:\n"
      "    blockIdx.x i.outer in 0..((n + 31)/32):\n"
      "      threadIdx.x i.inner in 0..32:\n"
      "        if likely(i.outer*32 + i.inner < n):\n"
      "          B[i.outer*32 + i.inner] = A[i.outer*32 + i.inner] + 1.0\n"
      "  kernel f_kernel1:\n"
      "    blockIdx.x i.outer_1 in 0..((n + 31)/32):\n"
      "      threadIdx.x i.inner_1 in 0..32:\n"
      "        if likely(i.outer_1*32 + i.inner_1 < n):\n"
      "          C[i.outer_1*32 + i.inner_1] = B[i.outer_1*32 + i.inner_1]*B[n - i.outer_1*32 - i.inner_1 - 1]\n");
  EXPECT_TRUE(ir::equal(ir::deserialize(ir::serialize(program)), program));
  for (const std::int64_t size : {1, 31, 64, 100}) {
    EXPECT_EQ(run_program(program, 5, {size}), run_unscheduled(C, {A, C}, {size})) << size;
  }
}

TEST(Launches, SerialLoopsAroundBoundOnesRunOnTheHost) {
  const Matmul op = make_matmul(6, 8, 3);
  Schedule s = create_schedule(op.c);
  s[op.c].reorder({s[op.c].reduce_axis(0), s[op.c].axis(0), s[op.c].axis(1)});
  s[op.c].bind(s[op.c].axis(0), kBlockIdxY).bind(s[op.c].axis(1), kThreadIdxY);
  const ir::Program program = lower(s, {op.a, op.b, op.c}, device_target(), "f");
  EXPECT_EQ(ir::to_string(program),
            "program f(A: float32[6, 3], B: float32[3, 8]) -> (C: float32[6, 8])\n"
            "  launch f_kernel0\n"
            "  for k in 0..3:\n"
            "    launch f_kernel1\n"
            "  kernel f_kernel0:\n"
            "    blockIdx.y i in 0..6:\n"
            "      threadIdx.y j in 0..8:\n"
            "        C[i, j] = 0.0\n"
            "  kernel f_kernel1:\n"
            "    blockIdx.y i_1 in 0..6:\n"
            "      threadIdx.y j_1 in 0..8:\n"
            "        C[i_1, j_1] = C[i_1, j_1] + A[i_1, k]*B[k, j_1]\n");
  EXPECT_TRUE(ir::equal(ir::deserialize(ir::serialize(program)), program));
  EXPECT_EQ(run_program(program, 3), run_unscheduled(op.c, {op.a, op.b, op.c}));
}

TEST(Launches, GuardsAndFusedIndicesMoveInsideTheBoundLoops) {
  const Matmul op = make_matmul(10, 9, 5);
  Schedule s = create_schedule(op.c);
  const auto [i0, j0, i1, j1] = s[op.c].tile(s[op.c].axis(0), s[op.c].axis(1), 4, 3);
  s[op.c].bind(s[op.c].fuse(i0, j0), kBlockIdxX).bind(i1, kThreadIdxY).bind(j1, kThreadIdxX);
  const ir::Program program = lower(s, {op.a, op.b, op.c}, device_target(), "f");
  EXPECT_THAT(ir::to_string(program), ::testing::HasSubstr("    blockIdx.x i.outer.j.outer in 0..9:\n"
                                                           "      threadIdx.y i.inner in 0..4:\n"
                                                           "        threadIdx.x j.inner in 0..3:\n"
                                                           "          let i.outer = i.outer.j.outer/3\n"));
  EXPECT_EQ(run_program(program, 2), run_unscheduled(op.c, {op.a, op.b, op.c}));
}

TEST(Launches, VirtualThreadsAndLocalTilesWithinThreads) {
  const Matmul op = make_matmul(16, 12, 7);
  Schedule s = create_schedule(op.c);
  const Tensor tile = s.cache_write(op.c, ir::Scope::kLocal);
  const auto [bx, rest] = s[op.c].split(s[op.c].axis(0), factor(8));
  const auto [vx, ii] = s[op.c].split(rest, nparts(2));
  const auto [tx, ji] = s[op.c].split(s[op.c].axis(1), factor(3));
  s[op.c].reorder({bx, vx, tx, ii, ji}).bind(bx, kBlockIdxX).bind(vx, kVThread).bind(tx, kThreadIdxX);
  s[tile].compute_at(s[op.c], tx);
  const ir::Program program = lower(s, {op.a, op.b, op.c}, device_target(), "f");
  EXPECT_EQ(run_program(program, 9), run_unscheduled(op.c, {op.a, op.b, op.c}));
}

TEST(Launches, AScanIsALoopOfLaunches) {
  const auto [X, Y, s] = bound_cumulative_sum();
  const ir::Program program = lower(s, {X, Y}, device_target(), "f");
  EXPECT_EQ(
      ir::to_string(program),
      "program f<m, n>(X: float32[m, n]) -> (Y: float32[m, n])\n"
      "  launch f_kernel0\n"
      "  for t in 0..(m - 1):\n"
      "    launch f_kernel1\n"
      "  kernel f_kernel0:\n"
      "    blockIdx.x j.outer in 0..((n + 255)/256):\n"
      "      threadIdx.x j.inner in 0..256:\n"
      "        if likely(j.outer*256 + j.inner < n):\n"
      "          Y[0, j.outer*256 + j.inner] = X[0, j.outer*256 + j.inner]\n"
      "  kernel f_kernel1:\n"
      "    blockIdx.x j.outer_1 in 0..((n + 255)/256):\n"
      "      threadIdx.x j.inner_1 in 0..256:\n"
      "        if likely(j.outer_1*256 + j.inner_1 < n):\n"
      "          Y[t + 1, j.outer_1*256 + j.inner_1] = Y[t, j.outer_1*256 + j.inner_1] + X[t + 1, j.outer_1*256 + "
      "j.inner_1]\n");
  EXPECT_TRUE(ir::equal(ir::deserialize(ir::serialize(program)), program));
  EXPECT_EQ(run_program(program, 2, {10, 1024}), run_unscheduled(Y, {X, Y}, {10, 1024}));
  EXPECT_EQ(run_program(program, 2, {3, 300}), run_unscheduled(Y, {X, Y}, {3, 300}));
}

TEST(Launches, ALoopOfOneIterationStaysBound) {
  const Tensor A = placeholder({5}, kFloat32, "A");
  const IterVar k = reduce_axis(5, "k");
  const Tensor B = compute({1}, [&](Expr) { return sum(A(k), k); }, "B");
  Schedule s = create_schedule(B);
  s[B].bind(s[B].axis(0), kThreadIdxX);
  const ir::Program program = lower(s, {A, B}, device_target(), "f");
  EXPECT_THAT(ir::to_string(program), ::testing::HasSubstr("  threadIdx.x i in 0..1:\n"));
  EXPECT_EQ(run_program(program), run_unscheduled(B, {A, B}));
}

TEST(Launches, WhatHasNoDimensionsIsDoneByOneThread) {
  const Tensor A = placeholder({12}, kFloat32, "A");
  const IterVar k = reduce_axis(12, "k");
  const Tensor B = compute({1}, [&](Expr) { return sum(A(k), k); }, "B");
  const Tensor C = compute({}, [&] { return B(0) + 1.0; }, "C");
  Schedule s = create_schedule(C);
  s[B].bind(s[B].axis(0), kThreadIdxX);
  const ir::Program program = lower(s, {A, C}, device_target(), "f");
  EXPECT_THAT(ir::to_string(program), ::testing::EndsWith("  kernel f_kernel1:\n"
                                                          "    C[] = B[0] + 1.0\n"));
  EXPECT_THAT(ir::verify(program, ir::Form::kLoop), ::testing::IsEmpty());
  EXPECT_EQ(run_program(program), run_unscheduled(C, {A, C}));
}

TEST(LaunchesRefuse, WhatNoBoundLoopEncloses) {
  const Matmul op = make_matmul(4, 4, 4);
  EXPECT_EQ(refusal(create_schedule(op.c), {op.a, op.b, op.c}),
            "f: no loop around the computation of C is bound, so that nothing on " + device_target().str() +
                " runs it: bind its outermost "
                "loops to blockIdx and threadIdx, or compute it at a bound loop of its consumer");
}

TEST(Launches, ThreadsInsideALoopOfTheBlock) {
  const Matmul op = make_matmul(4, 4, 4);
  Schedule s = create_schedule(op.c);
  s[op.c].reorder({s[op.c].axis(0), s[op.c].reduce_axis(0), s[op.c].axis(1)});
  s[op.c].bind(s[op.c].axis(0), kBlockIdxX).bind(s[op.c].axis(1), kThreadIdxX);
  const ir::Program program = lower(s, {op.a, op.b, op.c}, device_target(), "f");
  EXPECT_EQ(ir::to_string(program.kernels[0].body),
            "blockIdx.x i in 0..4:\n"
            "  threadIdx.x j in 0..4:\n"
            "    C[i, j] = 0.0\n"
            "    for k in 0..4:\n"
            "      C[i, j] = C[i, j] + A[i, k]*B[k, j]\n");
  EXPECT_EQ(run_program(program, 2), run_unscheduled(op.c, {op.a, op.b, op.c}));
}

TEST(LaunchesRefuse, BoundLoopsInsideOthers) {
  const Matmul op = make_matmul(4, 4, 4);
  const Tensor t_rows = compute({30}, [&](Expr i) { return op.a(i % 4, 0) * 2.0; }, "T");
  Schedule tails = create_schedule(t_rows);
  const auto [bx, tx] = tails[t_rows].split(tails[t_rows].axis(0), factor(8), Tail::partition());
  tails[t_rows].bind(bx, kBlockIdxX).bind(tx, kThreadIdxX);
  EXPECT_EQ(refusal(tails, {op.a, t_rows}),
            "f: loop i.inner, which is bound to threadIdx.x, does not enclose all that its kernel does there: bind the "
            "loops of one stage, guard its tails, and compute others inside its innermost bound loop");
  Schedule t = create_schedule(op.c);
  t[op.c].bind(t[op.c].axis(1), kThreadIdxX).vectorize(t[op.c].axis(0));
  EXPECT_EQ(refusal(t, {op.a, op.b, op.c}),
            "f: loop j, which is bound to threadIdx.x, lies inside the vectorized loop i: reorder the bound loops "
            "outermost");
}

TEST(LaunchesRefuse, ParallelLoopsAndTargetsWithoutThreadIndices) {
  const Matmul op = make_matmul(4, 4, 4);
  Schedule s = create_schedule(op.c);
  s[op.c].bind(s[op.c].axis(1), kThreadIdxX);
  EXPECT_THAT(refusal(s, {op.a, op.b, op.c}, Target()),
              ::testing::StartsWith("loop j of C is bound to threadIdx.x, which cpu,"));
  s[op.c].parallel(s[op.c].axis(0));
  EXPECT_EQ(refusal(s, {op.a, op.b, op.c}), "loop i of C is parallel, which " + device_target().str() +
                                                " does not have: bind it to blockIdx or threadIdx instead");
}

TEST(LaunchesRefuse, StorageThatBlocksOrThreadsWouldShare) {
  const Matmul op = make_matmul(4, 4, 4);
  Schedule s = create_schedule(op.c);
  const Tensor tile = s.cache_write(op.c, ir::Scope::kGlobal);
  s[op.c].bind(s[op.c].axis(0), kBlockIdxX);
  s[tile].compute_at(s[op.c], s[op.c].axis(0));
  EXPECT_EQ(refusal(s, {op.a, op.b, op.c}),
            "C.tile is kept in global scope but computed inside loop i of C, which is bound to blockIdx.x: keep it in "
            "local scope, or in shared scope for all threads of a block");
  s[tile].set_scope(ir::Scope::kLocal);
  s[op.c].bind(s[op.c].axis(1), kThreadIdxX);
  EXPECT_EQ(refusal(s, {op.a, op.b, op.c}),
            "threadIdx.x loop j of C lies inside the storage of C.tile, which is private to a thread: attach C.tile "
            "inside the loop, or keep it in shared scope");
}

}  // namespace
}  // namespace nestwright::testing
