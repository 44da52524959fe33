// Stages of one block whose loops over threads lie one after the other share the threads of the block.
#include <gmock/gmock.h>

#include "devices.h"
#include "matmul_schedule.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "run_program.h"

namespace nestwright::testing {
namespace {

/// C[b, j] = B[b, j] + B[b, 15 - j], where B = 2*A is computed in shared memory at the loop over blocks.
struct Mirrored {
  explicit Mirrored(std::int64_t threads_of_b = 16, std::int64_t threads_of_c = 16) {
    s[C].bind(s[C].axis(0), kBlockIdxX);
    s[C].bind(s[C].split(s[C].axis(1), factor(threads_of_c)).second, kThreadIdxX);
    s[B].compute_at(s[C], s[C].axis(0)).set_scope(ir::Scope::kShared);
    if (threads_of_b > 0) s[B].bind(s[B].split(s[B].axis(1), factor(threads_of_b)).second, kThreadIdxX);
  }
  void expect_right() const {
    const ir::Program program = lower(s, {A, C}, device_target(), "f");
    EXPECT_THAT(ir::verify(program, ir::Form::kLoop), ::testing::IsEmpty());
    for (const std::uint64_t seed : {1, 2, 3}) EXPECT_EQ(run_program(program, seed), run_unscheduled(C, {A, C}));
  }
  std::string kernel() const { return ir::to_string(lower(s, {A, C}, device_target(), "f").kernels[0].body); }

  Tensor A = placeholder({4, 16}, kFloat32, "A");
  Tensor B = compute({4, 16}, [&](Expr i, Expr j) { return A(i, j) * 2.0; }, "B");
  Tensor C = compute({4, 16}, [&](Expr i, Expr j) { return B(i, j) + B(i, 15 - j); }, "C");
  Schedule s = create_schedule(C);
};

TEST(MergeThreads, AStageAtTheLoopOverBlocksHasItsOwnThreads) {
  const Mirrored m;
  EXPECT_EQ(m.kernel(),
            "blockIdx.x i in 0..4:\n"
            "  shared B: float32[1, 16]\n"
            "  threadIdx.x j.inner in 0..16:\n"
            "    B[0, j.inner] = A[i, j.inner]*2.0\n"
            "    barrier\n"
            "    C[i, j.inner] = B[0, j.inner] + B[0, 15 - j.inner]\n");
  m.expect_right();
  expect_every_barrier_needed(lower(m.s, {m.A, m.C}, device_target(), "f"), 1);
}

TEST(MergeThreads, StagesWithDifferentNumbersOfThreads) {
  const Mirrored fewer(8, 16), more(16, 4);
  EXPECT_EQ(fewer.kernel(),
            "blockIdx.x i in 0..4:\n"
            "  shared B: float32[1, 16]\n"
            "  threadIdx.x j.inner in 0..16:\n"
            "    if likely(j.inner < 8):\n"
            "      for j.outer in 0..2:\n"
            "        B[0, j.outer*8 + j.inner] = A[i, j.outer*8 + j.inner]*2.0\n"
            "    barrier\n"
            "    C[i, j.inner] = B[0, j.inner] + B[0, 15 - j.inner]\n");
  fewer.expect_right();
  more.expect_right();
}

TEST(MergeThreads, OneThreadComputesAStageWithoutThreads) {
  const Mirrored m(0);
  EXPECT_THAT(m.kernel(), ::testing::HasSubstr("    if j.inner < 1:\n"
                                               "      for j in 0..16:\n"
                                               "        B[0, j] = A[i, j]*2.0\n"
                                               "    barrier\n"));
  m.expect_right();
}

TEST(MergeThreads, OperandsOfAProductInSharedMemory) {
  // B is loaded at the blocks' loop by a square of threads; the product itself uses a row of them.
  const Matmul op = make_matmul(16, 12, 10);
  Schedule s = create_schedule(op.c);
  const Tensor b = s.cache_read(op.b, ir::Scope::kShared, {op.c});
  const auto [bx, tx] = s[op.c].split(s[op.c].axis(1), factor(4));
  s[op.c].reorder({bx, tx, s[op.c].axis(0)}).bind(bx, kBlockIdxX).bind(tx, kThreadIdxX);
  s[b].compute_at(s[op.c], bx);
  s[b].bind(s[b].split(s[b].axis(0), factor(5)).second, kThreadIdxY).bind(s[b].axis(1), kThreadIdxX);
  const ir::Program program = lower(s, {op.a, op.b, op.c}, device_target(), "f");
  EXPECT_THAT(ir::to_string(program), ::testing::HasSubstr("shared B.cache: float32[10, 4]\n"));
  EXPECT_THAT(ir::verify(program, ir::Form::kLoop), ::testing::IsEmpty());
  for (const std::uint64_t seed : {1, 2})
    EXPECT_EQ(run_program(program, seed), run_unscheduled(op.c, {op.a, op.b, op.c}));
}

TEST(MergeThreads, ASerialLoopOfTheBlockRunsInAllThreads) {
  const Matmul op = make_matmul(6, 8, 12);
  Schedule s = create_schedule(op.c);
  const auto [ko, ki] = s[op.c].split(s[op.c].reduce_axis(0), factor(4));
  s[op.c].reorder({s[op.c].axis(0), ko, s[op.c].axis(1), ki});
  s[op.c].bind(s[op.c].axis(0), kBlockIdxX).bind(s[op.c].axis(1), kThreadIdxX);
  const Tensor b = s.cache_read(op.b, ir::Scope::kShared, {op.c});
  s[b].compute_at(s[op.c], ko);
  s[b].bind(s[b].axis(1), kThreadIdxX);
  const ir::Program program = lower(s, {op.a, op.b, op.c}, device_target(), "f");
  EXPECT_THAT(ir::to_string(program), ::testing::HasSubstr("shared B.cache: float32[4, 8]\n"));
  EXPECT_THAT(ir::verify(program, ir::Form::kLoop), ::testing::IsEmpty());
  for (const std::uint64_t seed : {1, 2})
    EXPECT_EQ(run_program(program, seed), run_unscheduled(op.c, {op.a, op.b, op.c}));
}

}  // namespace
}  // namespace nestwright::testing
