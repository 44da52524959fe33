// Stages in fragment scope: their region is what a warp needs, and what is refused.
#include <gmock/gmock.h>

#include "devices.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "lower/lower.h"
#include "support/error.h"

namespace nestwright::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// C of 16 x 16 by one warp: row 8 i + y, column 8 j + 2 x + pair.
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
    try {
      program(target);
    } catch (const LowerError& error) {
      return error.what();
    }
    return "";
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
  EXPECT_EQ(OneWarp(8, 8).refusal(), "");
}

TEST(Fragments, AreTheSameForAllThreadsOfAWarp) {
  OneWarp warp;
  // Each thread computes its own A, and the sums of it are none of a warp's.
  const Tensor own = warp.s.cache_read(warp.a, ir::Scope::kLocal, {warp.sums});
  warp.s[own].compute_at(warp.s[warp.sums], warp.s[warp.sums].axis(0));
  EXPECT_THAT(warp.refusal(), ::testing::StartsWith("f: fragment buffer C.tile is stored to in `C.tile[i, j] = "));
  EXPECT_THAT(warp.refusal(),
              ::testing::EndsWith("`, which differs between the threads of a warp: compute it for all of them, outside "
                                  "of what depends on threadIdx.x and threadIdx.y"));
}

}  // namespace
}  // namespace nestwright::testing
