// Bounds inference: inside its consumer's loop a stage computes exactly the region that is read there.
#include <gmock/gmock.h>

#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "nestwright/schedule.h"
#include "run_program.h"

namespace nestwright::testing {
namespace {

using ::testing::HasSubstr;

ir::Program lowered(const Schedule& s, const std::vector<Tensor>& args) {
  ir::Program program = lower(s, args, Target(), "f");
  EXPECT_THAT(ir::verify(program, ir::Form::kLoop), ::testing::IsEmpty());
  return program;
}

/// Expects the results of the unscheduled program; returns the printed loop form.
std::string same_as_unscheduled(const Schedule& s, const Tensor& output, const std::vector<Tensor>& args,
                                const std::vector<std::int64_t>& symbols = {}) {
  const ir::Program program = lowered(s, args);
  const ir::Program plain = lowered(create_schedule(output), args);
  EXPECT_EQ(run_program(program, 1, symbols), run_program(plain, 1, symbols)) << ir::to_string(program);
  return ir::to_string(program.kernels[0].body);
}

/// A convolution with `kernel` x `kernel` taps, stride and dilation, of a stage that doubles the input.
struct Convolution {
  Convolution(int size, int kernel, int stride, int dilation) {
    const int out = (size - (kernel - 1) * dilation - 1) / stride + 1;
    X = placeholder({size, size}, kFloat32, "X");
    W = placeholder({kernel, kernel}, kFloat32, "W");
    twice = compute({size, size}, [&](Expr i, Expr j) { return X(i, j) * 2.0; }, "twice");
    const IterVar a = reduce_axis(kernel, "a"), b = reduce_axis(kernel, "b");
    Y = compute(
        {out, out},
        [&](Expr i, Expr j) {
          return sum(twice(i * Expr(stride) + a * Expr(dilation), j * Expr(stride) + b * Expr(dilation)) * W(a, b),
                     {a, b});
        },
        "Y");
  }
  Tensor X, W, twice, Y;
};

TEST(Regions, StridedConvolutionNeedsATileAndItsRim) {
  const Convolution c(33, 3, 2, 1);
  Schedule s = create_schedule(c.Y);
  const auto [io, jo, ii, ji] = s[c.Y].tile(s[c.Y].axis(0), s[c.Y].axis(1), 4, 4);
  s[c.twice].compute_at(s[c.Y], jo).set_scope(ir::Scope::kLocal);
  EXPECT_EQ(same_as_unscheduled(s, c.Y, {c.X, c.W, c.Y}),
            "for i.outer in 0..4:\n"
            "  for j.outer in 0..4:\n"
            "    local twice: float32[9, 9]\n"
            "    for i in 0..9:\n"
            "      for j in 0..9:\n"
            "        twice[i, j] = X[i.outer*8 + i, j.outer*8 + j]*2.0\n"
            "    for i.inner in 0..4:\n"
            "      for j.inner in 0..4:\n"
            "        Y[i.outer*4 + i.inner, j.outer*4 + j.inner] = 0.0\n"
            "        for a in 0..3:\n"
            "          for b in 0..3:\n"
            "            Y[i.outer*4 + i.inner, j.outer*4 + j.inner] = Y[i.outer*4 + i.inner, j.outer*4 + j.inner] + "
            "twice[i.inner*2 + a, j.inner*2 + b]*W[a, b]\n");
}

TEST(Regions, DilatedConvolutionAtItsReductionLoop) {
  const Convolution c(20, 3, 1, 3);
  Schedule s = create_schedule(c.Y);
  const auto [io, ii] = s[c.Y].split(s[c.Y].axis(0), factor(2));
  s[c.Y].reorder({io, s[c.Y].reduce_axis(0), ii, s[c.Y].axis(1), s[c.Y].reduce_axis(1)});
  s[c.twice].compute_at(s[c.Y], s[c.Y].reduce_axis(0));
  // Two rows at one tap, and whole columns: 14 outputs and twice 3 more.
  EXPECT_THAT(same_as_unscheduled(s, c.Y, {c.X, c.W, c.Y}), HasSubstr("global twice: float32[2, 20]"));
  Schedule around = create_schedule(c.Y);
  const auto [jo, ji] = around[c.Y].split(around[c.Y].axis(1), factor(5));
  around[c.twice].compute_at(around[c.Y], jo);
  // Columns 5*jo .. 5*jo + 4 and the same 3 and 6 further right.
  EXPECT_THAT(same_as_unscheduled(around, c.Y, {c.X, c.W, c.Y}), HasSubstr("global twice: float32[7, 11]"));
}

TEST(Regions, AStageAtALoopThatIsTiledMovesIntoTheTile) {
  const Convolution c(12, 3, 1, 1);  // 10 x 10 outputs in tiles of 4
  Schedule rows = create_schedule(c.Y);
  rows[c.twice].compute_at(rows[c.Y], rows[c.Y].axis(0));
  rows[c.Y].tile(rows[c.Y].axis(0), rows[c.Y].axis(1), 4, 4);
  EXPECT_THAT(same_as_unscheduled(rows, c.Y, {c.X, c.W, c.Y}), HasSubstr("global twice: float32[3, 6]"));
  Schedule elements = create_schedule(c.Y);
  elements[c.twice].compute_at(elements[c.Y], elements[c.Y].axis(1));
  elements[c.Y].tile(elements[c.Y].axis(0), elements[c.Y].axis(1), 4, 4);
  EXPECT_THAT(same_as_unscheduled(elements, c.Y, {c.X, c.W, c.Y}), HasSubstr("global twice: float32[3, 3]"));
}

TEST(Regions, TileThatSticksOutIsCutAtTheBorder) {
  const Convolution c(12, 3, 1, 1);  // 10 x 10 outputs in tiles of 4
  Schedule s = create_schedule(c.Y);
  const auto [io, jo, ii, ji] = s[c.Y].tile(s[c.Y].axis(0), s[c.Y].axis(1), 4, 4);
  s[c.twice].compute_at(s[c.Y], jo);
  const std::string text = same_as_unscheduled(s, c.Y, {c.X, c.W, c.Y});
  EXPECT_THAT(text, HasSubstr("global twice: float32[6, 6]"));
  EXPECT_THAT(text, HasSubstr("< 12"));
}

TEST(Regions, PoolingThroughAPaddedStage) {
  const Tensor X = placeholder({14, 14}, kFloat32, "X");
  const Tensor padded = compute(
      {16, 16},
      [&](Expr i, Expr j) { return select(i >= 1 && i < 15 && j >= 1 && j < 15, X(i - 1, j - 1), Expr(-100.0)); },
      "padded");
  const IterVar a = reduce_axis(2, "a"), b = reduce_axis(2, "b");
  const Tensor Y = compute({8, 8}, [&](Expr i, Expr j) { return max(padded(i * 2 + a, j * 2 + b), {a, b}); }, "Y");
  Schedule s = create_schedule(Y);
  const auto [io, ii] = s[Y].split(s[Y].axis(0), factor(2));
  s[padded].compute_at(s[Y], io);
  EXPECT_THAT(same_as_unscheduled(s, Y, {X, Y}), HasSubstr("global padded: float32[4, 16]"));
  Schedule inner = create_schedule(Y);
  inner[padded].compute_at(inner[Y], inner[Y].axis(1));
  EXPECT_THAT(same_as_unscheduled(inner, Y, {X, Y}), HasSubstr("global padded: float32[2, 2]"));
}

TEST(Regions, SeveralConsumersInsideNeedWhatAllOfThemRead) {
  const Tensor X = placeholder({40}, kFloat32, "X");
  const Tensor A = compute({40}, [&](Expr i) { return X(i) + 1.0; }, "A");
  const Tensor B = compute({38}, [&](Expr i) { return A(i) + A(i + 2); }, "B");
  const Tensor C = compute({37}, [&](Expr i) { return A(i + 3) * 2.0; }, "C");
  const Tensor D = compute({32}, [&](Expr i) { return B(i + 1) + C(i) + C(i + 1); }, "D");
  Schedule s = create_schedule(D);
  const auto [outer, inner] = s[D].split(s[D].axis(0), factor(8));
  s[A].compute_at(s[D], outer);
  s[B].compute_at(s[D], outer);
  s[C].compute_at(s[D], outer);
  const std::string text = same_as_unscheduled(s, D, {X, D});
  // D reads B at 1..8 and C at 0..8: A at 1..10 and at 3..11.
  EXPECT_THAT(text, HasSubstr("global A: float32[11]"));
  EXPECT_THAT(text, HasSubstr("global B: float32[8]"));
  EXPECT_THAT(text, HasSubstr("global C: float32[9]"));
  EXPECT_THAT(text, HasSubstr("A[i] = X[i.outer*8 + i + 1] + 1.0"));
}

TEST(Regions, ConsumersThatAreApartByALoopNeedTheWayBetween) {
  const Tensor X = placeholder({40}, kFloat32, "X");
  const Tensor A = compute({40}, [&](Expr i) { return X(i) + 1.0; }, "A");
  // The two reads drift apart with j, by at most 3.
  const Tensor B = compute({4, 32}, [&](Expr j, Expr i) { return A(i) + A(i + j); }, "B");
  Schedule s = create_schedule(B);
  const auto [outer, inner] = s[B].split(s[B].axis(1), factor(8));
  s[A].compute_at(s[B], outer);
  EXPECT_THAT(same_as_unscheduled(s, B, {X, B}), HasSubstr("global A: float32[11]"));
}

TEST(Regions, ReadsBackwardsAndOfOneElement) {
  const Tensor X = placeholder({32}, kFloat32, "X");
  const Tensor A = compute({32}, [&](Expr i) { return X(i) * 2.0; }, "A");
  const Tensor B = compute({32}, [&](Expr i) { return A(31 - i); }, "B");
  Schedule s = create_schedule(B);
  const auto [outer, inner] = s[B].split(s[B].axis(0), factor(8));
  s[A].compute_at(s[B], outer);
  EXPECT_THAT(same_as_unscheduled(s, B, {X, B}), HasSubstr("global A: float32[8]"));
  s[A].compute_at(s[B], inner);
  EXPECT_THAT(same_as_unscheduled(s, B, {X, B}), HasSubstr("global A: float32[1]"));
}

TEST(Regions, QuotientsOfWholeTilesAreTight) {
  const Tensor X = placeholder({16}, kFloat32, "X");
  const Tensor A = compute({16}, [&](Expr i) { return X(i) * 2.0; }, "A");
  const Tensor B = compute({32}, [&](Expr i) { return A(i / 2); }, "B");
  Schedule s = create_schedule(B);
  const auto [outer, inner] = s[B].split(s[B].axis(0), factor(8));
  s[A].compute_at(s[B], outer);
  EXPECT_EQ(same_as_unscheduled(s, B, {X, B}),
            "for i.outer in 0..4:\n"
            "  global A: float32[4]\n"
            "  for i in 0..4:\n"
            "    A[i] = X[i.outer*4 + i]*2.0\n"
            "  for i.inner in 0..8:\n"
            "    B[i.outer*8 + i.inner] = A[i.inner/2]\n");
}

// Filters of a group read the channels of their group: 3 groups of 4 filters, in tiles of 2.
TEST(Regions, QuotientsOfPartsOfATileAreTight) {
  const Tensor X = placeholder({3, 5}, kFloat32, "X");
  const Tensor A = compute({3, 5}, [&](Expr i, Expr j) { return X(i, j) * 2.0; }, "A");
  const Tensor B = compute({12, 5}, [&](Expr i, Expr j) { return A(i / 4, j); }, "B");
  Schedule s = create_schedule(B);
  const auto [group, rest] = s[B].split(s[B].axis(0), factor(4));
  const auto [tile, inner] = s[B].split(rest, factor(2));
  s[A].compute_at(s[B], tile);
  EXPECT_EQ(same_as_unscheduled(s, B, {X, B}),
            "for i.outer in 0..3:\n"
            "  for i.inner.outer in 0..2:\n"
            "    global A: float32[1, 5]\n"
            "    for j in 0..5:\n"
            "      A[0, j] = X[i.outer, j]*2.0\n"
            "    for i.inner.inner in 0..2:\n"
            "      for j_1 in 0..5:\n"
            "        B[i.outer*4 + i.inner.outer*2 + i.inner.inner, j_1] = A[0, j_1]\n");
  Schedule across = create_schedule(B);  // tiles of 3 reach into the next group
  const auto [outer, in_tile] = across[B].split(across[B].axis(0), factor(3));
  across[A].compute_at(across[B], outer);
  EXPECT_THAT(same_as_unscheduled(across, B, {X, B}), HasSubstr("global A: float32[3, 5]"));
}

TEST(Regions, IndicesThatAreNotAffineNeedTheWholeDimension) {
  const Tensor X = placeholder({16, 8}, kFloat32, "X"), at = placeholder({32}, kFloat32, "At");
  const Tensor A = compute({16, 8}, [&](Expr i, Expr j) { return X(i, j) * 2.0; }, "A");
  const Tensor B = compute({32, 8}, [&](Expr i, Expr j) { return A((i * i) % 16, j); }, "B");
  Schedule s = create_schedule(B);
  const auto [outer, inner] = s[B].split(s[B].axis(1), factor(4));
  s[B].reorder({outer, s[B].axis(0), inner});
  s[A].compute_at(s[B], outer);
  EXPECT_THAT(same_as_unscheduled(s, B, {X, B}), HasSubstr("global A: float32[16, 4]"));
}

TEST(Regions, SymbolicExtentsKeepTheirTiles) {
  const Var n = var("n"), m = var("m");
  const Tensor X = placeholder({m, n}, kFloat32, "X");
  const Tensor A = compute({m, n}, [&](Expr i, Expr j) { return X(i, j) * 2.0; }, "A");
  const Tensor B = compute({m, n - 3}, [&](Expr i, Expr j) { return A(i, j) + A(i, j + 3); }, "B");
  Schedule s = create_schedule(B);
  const auto [outer, inner] = s[B].split(s[B].axis(1), factor(8));
  s[A].compute_at(s[B], outer).set_scope(ir::Scope::kLocal);
  EXPECT_EQ(same_as_unscheduled(s, B, {X, B}, {3, 21}),
            "for i in 0..m:\n"
            "  for j.outer in 0..((n + 4)/8):\n"
            "    local A: float32[1, 11]\n"
            "    for j in 0..11:\n"
            "      if likely(j.outer*8 + j < n):\n"
            "        A[0, j] = X[i, j.outer*8 + j]*2.0\n"
            "    for j.inner in 0..8:\n"
            "      if likely(j.outer*8 + j.inner < n - 3):\n"
            "        B[i, j.outer*8 + j.inner] = A[0, j.inner] + A[0, j.inner + 3]\n");
  Schedule rows = create_schedule(B);
  rows[A].compute_at(rows[B], rows[B].axis(0));
  EXPECT_THAT(same_as_unscheduled(rows, B, {X, B}, {3, 21}), HasSubstr("global A: float32[1, n]"));
}

TEST(Regions, ProductReadsOneBlockOfEachOperand) {
  const Tensor A = placeholder({12, 20}, kFloat32, "A"), B = placeholder({20, 16}, kFloat32, "B");
  const Tensor A2 = compute({12, 20}, [&](Expr i, Expr j) { return A(i, j) + 1.0; }, "A2");
  const Tensor B2 = compute({20, 16}, [&](Expr i, Expr j) { return B(i, j) * 2.0; }, "B2");
  const IterVar k = reduce_axis(20, "k");
  const Tensor C = compute({12, 16}, [&](Expr i, Expr j) { return sum(A2(i, k) * B2(k, j), k); }, "C");
  Schedule s = create_schedule(C);
  const auto [io, jo, ii, ji] = s[C].tile(s[C].axis(0), s[C].axis(1), 4, 8);
  const auto [ko, ki] = s[C].split(k, factor(6));  // 20 = 3*6 + 2
  s[C].reorder({io, jo, ko, ki, ii, ji});
  s[A2].compute_at(s[C], ko);
  s[B2].compute_at(s[C], ko);
  const std::string text = same_as_unscheduled(s, C, {A, B, C});
  EXPECT_THAT(text, HasSubstr("global A2: float32[4, 6]"));
  EXPECT_THAT(text, HasSubstr("global B2: float32[6, 8]"));
}

TEST(Regions, ReductionIsAttachedAsAWhole) {
  const Tensor X = placeholder({16, 10}, kFloat32, "X");
  const IterVar k = reduce_axis(10, "k");
  const Tensor rows = compute({16}, [&](Expr i) { return sum(X(i, k), k); }, "rows");
  const Tensor Y = compute({16, 10}, [&](Expr i, Expr j) { return X(i, j) - rows(i); }, "Y");
  Schedule s = create_schedule(Y);
  s[rows].compute_at(s[Y], s[Y].axis(0)).set_scope(ir::Scope::kRegister);
  EXPECT_EQ(same_as_unscheduled(s, Y, {X, Y}),
            "for i in 0..16:\n"
            "  register rows: float32[1]\n"
            "  rows[0] = 0.0\n"
            "  for k in 0..10:\n"
            "    rows[0] = rows[0] + X[i, k]\n"
            "  for j in 0..10:\n"
            "    Y[i, j] = X[i, j] - rows[0]\n");
}

// Rounded up to whole vectors, the tile of four parts has longer parts, whose vectors reach further: it stays unpadded.
TEST(Regions, PaddingThatNeedsFurtherPaddingEnds) {
  const Tensor a = placeholder({64}, kFloat32, "A");
  const Tensor c = compute({64}, [&](Expr i) { return a(i) * 2.0; }, "C");
  Schedule s = create_schedule(c);
  const Tensor copy = s.cache_read(a, ir::Scope::kLocal, {c});
  const auto [outer, inner] = s[c].split(s[c].axis(0), factor(8));
  s[copy].compute_at(s[c], outer);
  const auto [part, element] = s[copy].split(s[copy].axis(0), nparts(4));
  s[copy].vectorize(s[copy].split(part, factor(8)).second);
  same_as_unscheduled(s, c, {a, c});
}

}  // namespace
}  // namespace nestwright::testing
