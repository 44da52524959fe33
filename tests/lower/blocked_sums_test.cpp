// The pass blocked_sums: which sums are divided, their text, their results against the unscheduled program's, and their
// errors.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "nestwright/schedule.h"
#include "run_program.h"
#include "tests/support/cpu_target.h"

namespace nestwright::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// C[i] = sum(k, r, A[k, r, i]) in two vectors of registers, `steps` times `inner` terms.
struct ColumnSums {
  explicit ColumnSums(std::int64_t steps, std::int64_t inner = 1, ir::Type type = kFloat32, std::int64_t block = 0)
      : a(placeholder({steps, inner, 32}, type, "A")),
        k(reduce_axis(steps, "k")),
        r(reduce_axis(inner, "r")),
        c(compute(
            {32}, [&](Expr i) { return sum(a(k, r, i), {k, r}); }, "C")),
        s(create_schedule(c)) {
    Tensor tile;
    if (block > 0) {
      const auto [blocks, within] = s[c].split(s[c].reduce_axis(0), factor(block));
      tile = s.cache_write(c, ir::Scope::kRegister, blocks);
      s[c].reorder({blocks, s[c].axis(0)});
    } else {
      tile = s.cache_write(c, ir::Scope::kRegister);
    }
    const auto [row, vector] = s[c].split(s[c].axis(0), factor(32));
    const auto [c_outer, c_lane] = s[c].split(vector, factor(16));
    s[c].unroll(c_outer).vectorize(c_lane);
    s[tile].compute_at(s[c], row);
    const std::vector<IterVar> loops = s[tile].loops();
    const auto [outer, lane] = s[tile].split(loops[0], factor(16));
    s[tile].reorder({loops[1], loops[2], outer, lane}).unroll(outer).vectorize(lane);
  }

  ir::Program loops() const { return lower(s, {a, c}, target, "f", {.after_pass = {}, .verify = true}); }

  /// The kernel after the pass has been simplified.
  std::string text() const {
    std::string found;
    expand(loops(), target,
           {.after_pass =
                [&](std::string_view pass, const ir::Program& program, std::int64_t) {
                  if (pass == "simplify_vectors") found = ir::to_string(program.kernels[0].body);
                },
            .verify = true});
    return found;
  }

  void expect_right() const { expect_same_results(s, {c}, {a, c}); }

  Target target = cpu_target(CpuIsa::kAvx512);
  Tensor a;
  IterVar k, r;
  Tensor c;
  Schedule s;
};

TEST(BlockedSums, DividesALongSum) {
  const ColumnSums sums(2048);
  EXPECT_THAT(sums.text(), HasSubstr("for k.block in 0..4:\n"
                                     "  register C.tile.partial: float32[32]\n"
                                     "  C.tile.partial[ramp(0, 1, 16)] = x16(0.0)\n"
                                     "  C.tile.partial[ramp(16, 1, 16)] = x16(0.0)\n"
                                     "  for k in (k.block*512)..(k.block*512 + 512):\n"));
  sums.expect_right();
}

TEST(BlockedSums, MakesBlocksOfAlmostTheSameSize) {
  const ColumnSums sums(2053);
  EXPECT_THAT(sums.text(), HasSubstr("k in (k.block*411)..(k.block*411 + min(2053 - k.block*411, 411))"));
  sums.expect_right();
}

TEST(BlockedSums, CountsTheTermsOfInnerLoops) {
  const ColumnSums sums(300, 9);
  EXPECT_THAT(sums.text(), HasSubstr("for k.block in 0..6:\n"));
  sums.expect_right();
}

TEST(BlockedSums, DividesInnerAndOuterLoops) {
  const ColumnSums sums(3, 1500);
  EXPECT_THAT(sums.text(), HasSubstr("C.tile.partial.partial"));
  sums.expect_right();
}

TEST(BlockedSums, DividesTheSumOfManyPartialSums) {
  const ColumnSums sums(600'000);
  EXPECT_THAT(sums.text(), HasSubstr("k.block.block"));
}

TEST(BlockedSums, AddsToASumInMemoryAtTheEndOfABlock) {
  const ColumnSums sums(512, 1, kFloat32, 128);
  EXPECT_THAT(sums.text(), HasSubstr("partial"));
  sums.expect_right();
}

TEST(BlockedSums, LeavesShortSums) {
  EXPECT_THAT(ColumnSums(1024).text(), Not(HasSubstr("partial")));
  EXPECT_THAT(ColumnSums(512, 1, kFloat32, 64).text(), Not(HasSubstr("partial")));
}

TEST(BlockedSums, LeavesIntegersAndFloat64) {
  EXPECT_THAT(ColumnSums(2048, 1, kInt32).text(), Not(HasSubstr("partial")));
  EXPECT_THAT(ColumnSums(2048, 1, kFloat64).text(), Not(HasSubstr("partial")));
}

TEST(BlockedSums, HasASmallerError) {
  constexpr std::int64_t kTerms = 4096;
  const ColumnSums sums(kTerms);
  const ir::Program loops = sums.loops();
  const auto error_of = [&](const ir::Program& program) {
    std::vector<float> terms(static_cast<std::size_t>(kTerms) * 32, 0.1F), results(32);
    const std::vector<ir::Memory> memory{std::as_writable_bytes(std::span(terms)),
                                         std::as_writable_bytes(std::span(results))};
    ir::interpret(program, memory);
    return std::abs(double{results[5]} - static_cast<double>(kTerms) * double{0.1F});
  };
  EXPECT_LT(error_of(expand(loops, sums.target)), error_of(loops) / 3);
}

}  // namespace
}  // namespace nestwright::testing
