// Parts of programs: which loops run only their first iterations, and the ratio of the work.
#include "lower/program_part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "devices.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "nestwright/schedule.h"
#include "nestwright/tensor.h"
#include "run_program.h"

namespace nestwright::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string text(const ProgramPart& part) { return ir::to_string(part.program.kernels[0].body); }

/// C = A B in register tiles of 4 x 4, by blocks of 4 rows, in parallel.
struct TiledProduct {
  TiledProduct(std::int64_t m, std::int64_t n, std::int64_t depth, const Tail& tail = Tail::partition())
      : A(placeholder({m, depth}, kFloat32, "A")),
        B(placeholder({depth, n}, kFloat32, "B")),
        k(reduce_axis(depth, "k")),
        C(compute(
            {m, n}, [&](Expr i, Expr j) { return sum(A(i, k) * B(k, j), k); }, "C")),
        s(create_schedule(C)),
        tile(s.cache_write(C, ir::Scope::kRegister)) {
    const auto [io, jo, ii, ji] = s[C].tile(s[C].axis(0), s[C].axis(1), 4, 4, tail);
    rows = io;
    columns = jo;
    s[tile].compute_at(s[C], jo);
    s[tile].reorder({s[tile].reduce_axis(0), s[tile].axis(0), s[tile].axis(1)});
    s[tile].unroll(s[tile].axis(0)).unroll(s[tile].axis(1));
    s[C].unroll(ii).unroll(ji);
  }
  Args args() const { return {A, B, C}; }
  ir::Program program() const { return lower(s, args(), Target(), "f", {.after_pass = {}, .verify = true}); }

  Tensor A, B;
  IterVar k;
  Tensor C;
  Schedule s;
  Tensor tile;
  IterVar rows, columns;
};

/// Expects the elements that `part` stores to be those of the whole, `stored` of them, and the others untouched.
void expect_part_of_result(const TiledProduct& product, const ProgramPart& part, int stored) {
  const std::vector<float> whole = run_program(product.program())[0], some = run_program(part.program)[0];
  int elements = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (std::isnan(some[i])) continue;
    EXPECT_EQ(some[i], whole[i]) << i;
    ++elements;
  }
  EXPECT_EQ(elements, stored) << text(part);
}

TEST(ProgramPart, RunsTheFirstIterationsOfTheOutermostLoop) {
  TiledProduct product(64, 16, 5);
  product.s[product.C].parallel(product.rows);
  const ProgramPart part = part_of(product.program(), 1.0 / 4, 2).value();
  EXPECT_EQ(part.ratio, 4);
  EXPECT_THAT(text(part), HasSubstr("parallel i.outer in 0..4:\n  for j.outer in 0..4:\n"));
  expect_part_of_result(product, part, 16 * 16);
}

TEST(ProgramPart, KeepsAMultipleOfTheThreads) {
  TiledProduct product(36, 16, 5);
  product.s[product.C].parallel(product.rows);
  // On two threads the whole takes as long as 5 of 9 iterations, and 4 iterations as long as 2.
  const ProgramPart part = part_of(product.program(), 1.0 / 3, 2).value();
  EXPECT_THAT(text(part), HasSubstr("parallel i.outer in 0..4:"));
  EXPECT_EQ(part.ratio, 2.5);
  EXPECT_THAT(text(part_of(product.program(), 1.0 / 100, 2).value()), HasSubstr("parallel i.outer in 0..2:\n"));
  const ProgramPart on_one = part_of(product.program(), 1.0 / 3, 1).value();
  EXPECT_THAT(text(on_one), HasSubstr("parallel i.outer in 0..3:"));
  EXPECT_EQ(on_one.ratio, 3);
}

TEST(ProgramPart, ShortensLoopsInsideOnesWithFewIterations) {
  TiledProduct product(8, 64, 5);
  product.s[product.C].parallel(product.rows);
  const ProgramPart part = part_of(product.program(), 1.0 / 8, 2).value();
  EXPECT_THAT(text(part), HasSubstr("parallel i.outer in 0..2:\n  for j.outer in 0..2:\n"));
  EXPECT_EQ(part.ratio, 8);
  expect_part_of_result(product, part, 8 * 8);
}

TEST(ProgramPart, CountsTailsExactly) {
  // 16 blocks of 4 rows and a tail of 2, and 4 blocks of 4 columns and a tail of 3. An element has 1 store, 1 load and
  // 4 accesses and operations for each of 5 steps, and one store at the start.
  TiledProduct product(66, 19, 5);
  const ProgramPart part = part_of(product.program(), 1.0 / 8, 1).value();
  const std::vector<float> some = run_program(part.program)[0];
  const auto stored = std::count_if(some.begin(), some.end(), [](float value) { return !std::isnan(value); });
  EXPECT_DOUBLE_EQ(part.ratio, 66.0 * 19 / static_cast<double>(stored)) << text(part);
  EXPECT_NEAR(part.ratio, 8, 1);
  expect_part_of_result(product, part, static_cast<int>(stored));
}

TEST(ProgramPart, ShortensThePackingOfOperandsByAsMuch) {
  TiledProduct product(64, 64, 12);
  const Tensor packed = product.s.cache_read(product.B, ir::Scope::kGlobal, {product.tile});
  product.s[packed].reorder({product.s[packed].axis(1), product.s[packed].axis(0)});
  product.s[packed].parallel(product.s[packed].axis(1));
  product.s[product.C].parallel(product.rows);
  const ProgramPart part = part_of(product.program(), 1.0 / 4, 2).value();
  EXPECT_THAT(text(part), AllOf(HasSubstr("B.cache: float32[12, 64]"), HasSubstr("parallel ax1 in 0..16:\n"),
                                HasSubstr("parallel i.outer in 0..4:\n")));
  EXPECT_EQ(part.ratio, 4);
}

TEST(ProgramPart, LeavesReductionsInRegistersWhole) {
  TiledProduct product(4, 4, 1000);
  EXPECT_FALSE(part_of(product.program(), 1.0 / 8, 1).has_value());
}

TEST(ProgramPart, ShortensAnOuterLoopThatReduces) {
  const Tensor A = placeholder({64, 8}, kFloat32, "A");
  const IterVar k = reduce_axis(64, "k");
  const Tensor B = compute({8}, [&](Expr j) { return sum(A(k, j), k); }, "B");
  Schedule sums = create_schedule(B);
  sums[B].reorder({sums[B].reduce_axis(0), sums[B].axis(0)});
  const ProgramPart part = part_of(lower(sums, {A, B}, Target(), "f"), 1.0 / 4, 1).value();
  EXPECT_THAT(text(part), HasSubstr("for k in 0..16:\n  for i_1 in 0..8:\n"));
  EXPECT_NEAR(part.ratio, 4, 0.1);
}

TEST(ProgramPart, LeavesWhatAnAddressDependsOnWhole) {
  const Tensor A = placeholder({64}, kFloat32, "A"), X = placeholder({64}, kInt64, "X");
  const Tensor place = compute({64}, [&](Expr i) { return min(max(X(i), 0), 63); }, "place");
  const Tensor B = compute({64, 64}, [&](Expr i, Expr j) { return A(min(max(place(j), 0), 63)) + A(i); }, "B");
  const Schedule s = create_schedule(B);
  const ProgramPart part = part_of(lower(s, {A, X, B}, Target(), "f"), 1.0 / 8, 1).value();
  EXPECT_THAT(text(part), AllOf(HasSubstr("for i in 0..64:\n"), HasSubstr("in 0..8:\n")));
}

TEST(ProgramPart, IsAbsentWhereNothingCanBeShortened) {
  TiledProduct product(64, 16, 5);
  EXPECT_FALSE(part_of(product.program(), 0.9, 1).has_value()) << "a ratio of 1.1 is not worth it";
  const Var n = var("n");
  const Tensor A = placeholder({n}, kFloat32, "A"), B = compute({n}, [&](Expr i) { return A(i) + 1.0; }, "B");
  EXPECT_FALSE(part_of(lower(create_schedule(B), {A, B}, Target(), "f"), 0.1, 1).has_value());
  const Tensor C = placeholder({64}, kFloat32, "C"), D = compute({64}, [&](Expr i) { return C(i) + 1.0; }, "D");
  Schedule s = create_schedule(D);
  s[D].bind(s[D].axis(0), kThreadIdxX);
  EXPECT_FALSE(part_of(lower(s, {C, D}, device_target(), "f"), 0.1, 1).has_value());
}

}  // namespace
}  // namespace nestwright::testing
