// A split into a number of parts, of a stage that computes a region: the parts are those of the region.
#include <gmock/gmock.h>

#include "devices.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "run_program.h"

namespace nestwright::testing {
namespace {

using ::testing::HasSubstr;

/// C[i] = B[i] + B[i+1], where B is computed at tiles of 12 of C, and in four parts.
struct Doubled {
  Tensor A = placeholder({97}, kFloat32, "A");
  Tensor B = compute({97}, [&](Expr i) { return A(i) * 2.0; }, "B");
  Tensor C = compute({96}, [&](Expr i) { return B(i) + B(i + 1); }, "C");
  Schedule s = create_schedule(C);
  explicit Doubled(const Tail& tail = Tail::guard()) {
    const auto [outer, inner] = s[C].split(s[C].axis(0), factor(12));
    s[B].compute_at(s[C], outer);
    s[B].split(s[B].axis(0), nparts(4), tail);
  }
};

TEST(PartsOfRegions, AStageComputedAtATileIsSplitIntoPartsOfTheTile) {
  const Doubled d;
  EXPECT_EQ(ir::to_string(lower(d.s, {d.A, d.C}, Target(), "f").kernels[0].body),
            "for i.outer in 0..8:\n"
            "  global B: float32[13]\n"
            "  for i.outer_1 in 0..4:\n"
            "    for i.inner in 0..4:\n"
            "      if likely(i.outer_1*4 + i.inner < 13):\n"
            "        B[i.outer_1*4 + i.inner] = A[i.outer*12 + i.outer_1*4 + i.inner]*2.0\n"
            "  for i.inner_1 in 0..12:\n"
            "    C[i.outer*12 + i.inner_1] = B[i.inner_1] + B[i.inner_1 + 1]\n");
}

TEST(PartsOfRegions, EveryTailComputesTheSame) {
  for (const Tail& tail : {Tail::guard(), Tail::predicate(), Tail::partition()}) {
    Doubled d(tail);
    expect_same_results(d.s, {d.C}, {d.A, d.C});
    d.s[d.B].vectorize(d.s[d.B].loops().back());
    expect_same_results(d.s, {d.C}, {d.A, d.C});
  }
}

TEST(PartsOfRegions, ThreadsFetchTheRegionTogether) {
  // 8 threads read 9 elements: five of them fetch two each. Parts of the whole tensor, of 33 elements, would be 5 long.
  const Tensor A = placeholder({33}, kFloat32, "A");
  const Tensor B = compute({32}, [&](Expr i) { return A(i) + A(i + 1); }, "B");
  Schedule s = create_schedule(B);
  const Tensor cache = s.cache_read(A, ir::Scope::kShared, {B});
  const auto [bx, tx] = s[B].split(s[B].axis(0), factor(8));
  s[B].bind(bx, kBlockIdxX).bind(tx, kThreadIdxX);
  s[cache].compute_at(s[B], tx);
  s[cache].bind(s[cache].split(s[cache].axis(0), nparts(8)).first, kThreadIdxX);
  const ir::Program program = lower(s, {A, B}, device_target(), "f");
  EXPECT_THAT(ir::to_string(program), HasSubstr("threadIdx.x i.inner in 0..8:\n"
                                                "        if likely(i.inner < 5):\n"
                                                "          for ax0.inner in 0..2:\n"));
  EXPECT_THAT(ir::verify(program, ir::Form::kLoop), ::testing::IsEmpty());
  for (const std::uint64_t seed : {1, 2, 3}) EXPECT_EQ(run_program(program, seed), run_unscheduled(B, {A, B}));
}

}  // namespace
}  // namespace nestwright::testing
