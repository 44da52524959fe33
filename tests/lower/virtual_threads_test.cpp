// virtual_threads: loops over virtual threads move inside barriers, their storage is private, and results stay the
// same.
#include <gmock/gmock.h>

#include "devices.h"
#include "ir/traversal/rewrite.h"
#include "lower/passes.h"
#include "matmul_schedule.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "run_program.h"

namespace nestwright::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// C in tiles of 8 rows for each block: 2 virtual threads by 2 rows, 2 threads by 4 columns; A in shared memory.
struct Interleaved {
  Matmul op = make_matmul(16, 8, 6);
  Schedule s = create_schedule(op.c);
  Tensor tile = s.cache_write(op.c, ir::Scope::kLocal);
  Tensor a = s.cache_read(op.a, ir::Scope::kShared, {tile});

  explicit Interleaved(bool cooperate) {
    const auto [bx, rows] = s[op.c].split(s[op.c].axis(0), factor(4));
    const auto [vx, i] = s[op.c].split(rows, nparts(2));
    const auto [tx, j] = s[op.c].split(s[op.c].axis(1), nparts(2));
    s[op.c].reorder({bx, vx, tx, i, j});
    s[op.c].bind(bx, kBlockIdxX).bind(vx, kVThread).bind(tx, kThreadIdxX);
    s[tile].compute_at(s[op.c], tx);
    const auto [ko, ki] = s[tile].split(s[tile].reduce_axis(0), factor(3));
    s[tile].reorder({ko, ki, s[tile].axis(0), s[tile].axis(1)});
    s[a].compute_at(s[tile], ko);
    if (cooperate) s[a].bind(s[a].split(s[a].axis(0), factor(2)).second, kThreadIdxX);
  }
  Args args() const { return {op.a, op.b, op.c}; }
  ir::Program program() const { return lower(s, args(), device_target(), "f"); }
};

ir::Program interleave(ir::Program program) {
  const Target target = device_target();
  PassContext context{.target = target};
  return passes::virtual_threads(std::move(program), context);
}

TEST(VirtualThreads, LoopsMoveInsideOfBarriersAndStorageIsCopied) {
  const ir::Program program = interleave(Interleaved(true).program());
  EXPECT_EQ(ir::to_string(program.kernels[0].body),
            "blockIdx.x i.outer in 0..4:\n"
            "  shared A.cache: float32[4, 3]\n"
            "  threadIdx.x j.outer in 0..2:\n"
            "    local C.tile: float32[2, 2, 4]\n"
            "    for i in 0..2:\n"
            "      for j in 0..4:\n"
            "        unrolled i.inner.outer in 0..2:\n"
            "          C.tile[i.inner.outer, i, j] = 0.0\n"
            "    for k.outer in 0..2:\n"
            "      for ax0.outer in 0..2:\n"
            "        for ax1 in 0..3:\n"
            "          A.cache[ax0.outer*2 + j.outer, ax1] = A[i.outer*4 + ax0.outer*2 + j.outer, k.outer*3 + ax1]\n"
            "      barrier\n"
            "      for k.inner in 0..3:\n"
            "        for i_1 in 0..2:\n"
            "          for j_1 in 0..4:\n"
            "            unrolled i.inner.outer_1 in 0..2:\n"
            "              C.tile[i.inner.outer_1, i_1, j_1] = C.tile[i.inner.outer_1, i_1, j_1] + "
            "A.cache[i.inner.outer_1*2 + i_1, k.inner]*B[k.outer*3 + k.inner, j.outer*4 + j_1]\n"
            "      barrier\n"
            "    for i.inner.inner in 0..2:\n"
            "      for j.inner in 0..4:\n"
            "        unrolled i.inner.outer_2 in 0..2:\n"
            "          C[i.outer*4 + i.inner.outer_2*2 + i.inner.inner, j.outer*4 + j.inner] = C.tile[i.inner.outer_2, "
            "i.inner.inner, j.inner]\n");
}

TEST(VirtualThreads, ResultsStayTheSame) {
  for (const bool cooperate : {true, false}) {
    const Interleaved schedule(cooperate);
    const ir::Program loops = schedule.program(), program = interleave(loops);
    EXPECT_THAT(ir::to_string(program), Not(HasSubstr("vthread")));
    EXPECT_EQ(count_barriers(program.kernels[0].body), count_barriers(loops.kernels[0].body));
    for (const std::uint64_t seed : {1, 2, 3}) {
      EXPECT_EQ(run_program(program, seed), run_unscheduled(schedule.op.c, schedule.args())) << ir::to_string(program);
    }
  }
}

TEST(VirtualThreads, WhatOneOfThemDoesForAllIsDoneOnce) {
  const Interleaved schedule(false);
  const ir::Program loops = schedule.program();
  ASSERT_THAT(ir::to_string(loops), HasSubstr("< 1 && "));
  const std::string text = ir::to_string(interleave(loops));
  EXPECT_THAT(text, HasSubstr("if j.outer < 1:\n")) << text;
}

}  // namespace
}  // namespace nestwright::testing
