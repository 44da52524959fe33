// Stages in fragment scope: their region is the union of those of a warp's threads; and refusals.
#include <gmock/gmock.h>

#include "devices.h"
#include "matmul_schedule.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "run_program.h"
#include "tests/support/message.h"

namespace nestwright::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// C[16, 16] by one warp, whose threads compute row 8 i + y, column 8 j + 2 x + pair.
struct OneWarp {
  Tensor a = placeholder({16, 16}, kFloat16, "A"), b = placeholder({16, 16}, kFloat16, "B");
  IterVar k = reduce_axis(16, "k");
  Tensor c =
      compute({16, 16}, [&](Expr i, Expr j) { return sum(cast(kFloat32, a(i, k)) * cast(kFloat32, b(k, j)), k); }, "C");
  Schedule s = create_schedule(c);
  Tensor sums = s.cache_write(c, ir::Scope::kFragment);
  IterVar y, x;

  explicit OneWarp(std::int64_t rows = 8, std::int64_t columns = 8) {
    const auto [i8, i] = s[c].split(s[c].axis(0), factor(rows));
    const auto [j8, j] = s[c].split(s[c].axis(1), factor(columns));
    const auto [thread, pair] = s[c].split(j, factor(2));
    y = i, x = thread;
    s[c].reorder({y, x, i8, j8, pair}).bind(y, kThreadIdxY).bind(x, kThreadIdxX);
    s[sums].compute_at(s[c], x);
  }
  ir::Program program(const Target& target = device_target()) const { return lower(s, {a, b, c}, target, "f"); }
  std::string refusal(const Target& target = device_target()) const {
    return message<LowerError>([&] { program(target); });
  }
};

TEST(Fragments, AreWhatAllThreadsOfAWarpNeed) {
  const ir::Program program = OneWarp().program();
  EXPECT_THAT(ir::to_string(program), HasSubstr("    threadIdx.y i.inner in 0..8:\n"
                                                "      threadIdx.x j.inner.outer in 0..4:\n"
                                                "        fragment C.tile: float32[16, 16]\n"
                                                "        for i in 0..16:\n"));
  EXPECT_THAT(ir::verify(program, ir::Form::kLoop), IsEmpty());
}

TEST(Fragments, AreForDevicesThatMultiplyMatrices) {
  EXPECT_EQ(OneWarp().refusal(Target::parse("cuda,arch=sm_75")),
            "C.tile is kept in fragment scope, which cuda,arch=sm_75 does not have: use local scope");
  EXPECT_EQ(OneWarp().refusal(Target::parse("opencl")),
            "C.tile is kept in fragment scope, which opencl does not have: use local scope");
  EXPECT_THAT(OneWarp().refusal(Target::parse("cpu,isa=avx2,threads=1")), HasSubstr("which cpu,isa=avx2"));
}

TEST(Fragments, AreHeldByWholeWarps) {
  const std::string refusal =
      "f: fragment buffer C.tile is allocated where there is no warp: bind a loop of 8 to threadIdx.y and one of 4 to "
      "threadIdx.x around it";
  EXPECT_EQ(OneWarp(16, 8).refusal(), refusal);
  EXPECT_EQ(OneWarp(8, 16).refusal(), refusal);
  EXPECT_EQ(OneWarp(8, 8).refusal(), "accepted");
}

TEST(Fragments, AreTheSameForAllThreadsOfAWarp) {
  OneWarp warp;
  // Each thread computes its own A, so that its sums are not held by a warp.
  const Tensor own = warp.s.cache_read(warp.a, ir::Scope::kLocal, {warp.sums});
  warp.s[own].compute_at(warp.s[warp.sums], warp.s[warp.sums].axis(0));
  EXPECT_THAT(warp.refusal(), ::testing::StartsWith("f: fragment buffer C.tile is stored to in `C.tile[i, j] = "));
  EXPECT_THAT(warp.refusal(),
              ::testing::EndsWith("`, which differs between the threads of a warp: compute it for all of them, outside "
                                  "of what depends on threadIdx.x and threadIdx.y"));
}

/// C[16, 32] by two warps, with slices of 16 of A and B in shared memory; each warp reads what the other stores there.
ir::Program two_warps(const Matmul& op) {
  Schedule s = create_schedule(op.c);
  const Tensor sums = s.cache_write(op.c, ir::Scope::kFragment);
  const auto [i8, y] = s[op.c].split(s[op.c].axis(0), factor(8));
  const auto [warp, j] = s[op.c].split(s[op.c].axis(1), factor(16));
  const auto [j8, rest] = s[op.c].split(j, factor(8));
  const auto [x, pair] = s[op.c].split(rest, factor(2));
  s[op.c].reorder({warp, y, x, i8, j8, pair});
  s[op.c].bind(warp, kThreadIdxZ).bind(y, kThreadIdxY).bind(x, kThreadIdxX);
  s[sums].compute_at(s[op.c], x);
  const auto [slice, step] = s[sums].split(s[sums].reduce_axis(0), factor(16));
  s[sums].reorder({slice, s[sums].axis(0), s[sums].axis(1), step});
  for (const Tensor& read : {op.a, op.b}) {
    const Tensor shared = s.cache_read(read, ir::Scope::kShared, {sums});
    s[shared].compute_at(s[sums], slice);
    const auto [row, ty] = s[shared].split(s[shared].axis(0), factor(8));
    const auto [column, txz] = s[shared].split(s[shared].axis(1), factor(8));
    const auto [tz, tx] = s[shared].split(txz, factor(4));
    s[shared].reorder({row, column, tz, ty, tx});
    s[shared].bind(tz, kThreadIdxZ).bind(ty, kThreadIdxY).bind(tx, kThreadIdxX);
    const Tensor fragment = s.cache_read(shared, ir::Scope::kFragment, {sums});
    s[fragment].compute_at(s[sums], slice);
  }
  return lower(s, {op.a, op.b, op.c}, device_target(), "f");
}

TEST(Fragments, AreLoadedOnceEveryWarpHasStoredItsShare) {
  const Matmul op = make_matmul(16, 32, 32);
  const ir::Program program = two_warps(op);
  EXPECT_THAT(ir::verify(program, ir::Form::kLoop), IsEmpty());
  for (const std::uint64_t seed : {1, 2, 3}) {
    EXPECT_EQ(run_program(program, seed), run_unscheduled(op.c, {op.a, op.b, op.c})) << ir::to_string(program);
  }
  expect_every_barrier_needed(program, 2);
}

}  // namespace
}  // namespace nestwright::testing
