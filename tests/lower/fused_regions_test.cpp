// Stages that are computed inside a part of a fused loop compute what this part reads.
#include <gmock/gmock.h>

#include "devices.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "run_program.h"
#include "tests/support/message.h"

namespace nestwright::testing {
namespace {

using ::testing::HasSubstr;

/// C = B + 1, where B = 2*A, and the loops of C are fused and split by `part`.
struct Fused {
  Fused(Expr rows, std::int64_t columns, std::int64_t part, const Tail& tail = Tail::guard()) {
    A = placeholder({rows, columns}, kFloat32, "A");
    B = compute({rows, columns}, [&](Expr i, Expr j) { return A(i, j) * 2.0; }, "B");
    C = compute({rows, columns}, [&](Expr i, Expr j) { return B(i, j) + 1.0; }, "C");
    s = create_schedule(C);
    fused = s[C].fuse(s[C].axis(0), s[C].axis(1));
    std::tie(outer, inner) = s[C].split(fused, factor(part), tail);
  }
  std::string body() const { return ir::to_string(lower(s, {A, C}, Target(), "f").kernels[0].body); }
  void expect_right() const { expect_same_results(s, {C}, {A, C}); }

  Tensor A, B, C;
  Schedule s = create_schedule(compute({1}, [](Expr) { return Expr(1.0); }, "none"));
  IterVar fused, outer, inner;
};

TEST(FusedRegions, PartOfARow) {
  Fused f(16, 32, 8);
  f.s[f.B].compute_at(f.s[f.C], f.outer);
  EXPECT_EQ(f.body(),
            "for i.j.outer in 0..64:\n"
            "  let i = i.j.outer/4\n"
            "  let j = i.j.outer%4\n"
            "  global B: float32[1, 8]\n"
            "  for j_1 in 0..8:\n"
            "    B[0, j_1] = A[i, j*8 + j_1]*2.0\n"
            "  for i.j.inner in 0..8:\n"
            "    C[i, j*8 + i.j.inner] = B[0, i.j.inner] + 1.0\n");
  f.expect_right();
}

TEST(FusedRegions, WholeRows) {
  Fused f(16, 8, 32);
  f.s[f.B].compute_at(f.s[f.C], f.outer);
  EXPECT_EQ(f.body(),
            "for i.j.outer in 0..4:\n"
            "  global B: float32[4, 8]\n"
            "  for i in 0..4:\n"
            "    for j in 0..8:\n"
            "      B[i, j] = A[i.j.outer*4 + i, j]*2.0\n"
            "  for i.j.inner in 0..32:\n"
            "    let i_1 = i.j.outer*4 + i.j.inner/8\n"
            "    let j_1 = i.j.inner%8\n"
            "    C[i_1, j_1] = B[i.j.inner/8, j_1] + 1.0\n");
  f.expect_right();
}

TEST(FusedRegions, PartsThatBeginAnywhereInARow) {
  Fused f(16, 10, 4);  // 4 values begin at column 0, 2, 4, 6 or 8: they lie in two rows at most
  f.s[f.B].compute_at(f.s[f.C], f.outer);
  EXPECT_THAT(f.body(), HasSubstr("global B: float32[2, 10]\n"));
  f.expect_right();
}

TEST(FusedRegions, AStageAtTheFusedLoopItselfComputesOneElement) {
  Fused f(6, 10, 4);
  f.s[f.B].compute_at(f.s[f.C], f.inner);
  EXPECT_THAT(f.body(), HasSubstr("global B: float32[1, 1]\n"));
  f.expect_right();
}

TEST(FusedRegions, EveryExtentGivesTheSameResults) {
  for (const std::int64_t columns : {1, 6, 7, 8, 12}) {
    for (const std::int64_t part : {1, 3, 4, 5, 8, 12, 16, 24, 100}) {
      for (const Tail& tail : {Tail::guard(), Tail::partition()}) {
        Fused f(5, columns, part, tail);
        f.s[f.B].compute_at(f.s[f.C], f.outer);
        SCOPED_TRACE(::testing::Message() << columns << " columns, parts of " << part << ", " << tail.str());
        f.expect_right();
      }
    }
  }
}

TEST(FusedRegions, PartsOfParts) {
  for (const std::int64_t columns : {6, 7, 8, 16}) {
    for (const std::int64_t part : {4, 5, 8, 24}) {
      for (const bool at_both : {false, true}) {
        Fused f(6, columns, 48);
        const auto [middle, innermost] = f.s[f.C].split(f.inner, factor(part));
        const Tensor near = f.s.cache_read(f.B, ir::Scope::kGlobal, {f.C});
        f.s[f.B].compute_at(f.s[f.C], f.outer);
        f.s[near].compute_at(f.s[f.C], at_both ? middle : f.outer);
        SCOPED_TRACE(::testing::Message() << columns << " columns, parts of " << part << ", " << at_both);
        f.expect_right();
      }
    }
  }
}

/// C = B + 1 with tiles of rows by columns, whose two loops are fused and split by `part`; the part's loop runs outside
/// of the tiles' loops. B is computed at loop number `at` of C.
void expect_tiles_are_right(std::int64_t rows, std::int64_t columns, std::int64_t part, const Tail& tail,
                            std::size_t at) {
  Fused f(rows, columns, 1);
  Schedule s = create_schedule(f.C);
  Stage c = s[f.C];
  const auto [row_tile, row] = c.split(c.axis(0), factor(2), tail);
  const auto [column_tile, column] = c.split(c.axis(1), factor(8), tail);
  c.reorder({row_tile, column_tile, row, column});
  const auto [outer, inner] = c.split(c.fuse(row, column), factor(part));
  c.reorder({outer, row_tile, column_tile, inner});
  s[f.B].compute_at(c, c.loops().at(at));
  SCOPED_TRACE(::testing::Message() << rows << " x " << columns << ", parts of " << part << ", " << tail.str()
                                    << ", at loop " << at);
  expect_same_results(s, {f.C}, {f.A, f.C});
}

TEST(FusedRegions, TailsOfTilesWhosePartsAreOpenOutside) {
  for (const std::int64_t rows : {2, 3, 5}) {
    for (const std::int64_t columns : {8, 12, 13}) {
      for (const std::int64_t part : {3, 4, 8, 16}) {
        for (const Tail& tail : {Tail::guard(), Tail::partition()}) {
          for (const std::size_t at : {0U, 1U, 2U, 3U}) expect_tiles_are_right(rows, columns, part, tail, at);
        }
      }
    }
  }
}

TEST(FusedRegions, LanesOfAVectorLieInOneRow) {
  Fused f(12, 16, 64);
  const auto [middle, lanes] = f.s[f.C].split(f.inner, factor(8));
  f.s[f.C].vectorize(lanes);
  f.s[f.B].compute_at(f.s[f.C], f.outer);
  const std::string text = f.body();
  EXPECT_THAT(text, HasSubstr("global B: float32[4, 16]\n")) << text;
  EXPECT_THAT(text, ::testing::Not(HasSubstr("vectorized i.j.inner.inner in 0..8:\n      let")));
  f.expect_right();
}

TEST(FusedRegions, APartWhoseVectorsCrossRowsIsRefused) {
  Fused across(12, 12, 64);
  const auto [middle, lanes] = across.s[across.C].split(across.inner, factor(8));
  across.s[across.C].vectorize(lanes);
  across.expect_right();
  across.s[across.B].compute_at(across.s[across.C], across.outer);
  EXPECT_EQ(
      message<LowerError>([&] { across.body(); }),
      "B is computed at i.j.outer of C, a part of the loop that i and j were fused to; what a part needs of it "
      "cannot be told, as vectors cross the ends of j: compute it outside of the fused loop, or at a loop that is "
      "no part");
}

TEST(FusedRegions, ThreeAxes) {
  const Tensor A = placeholder({3, 4, 16}, kFloat32, "A");
  const Tensor B = compute({3, 4, 16}, [&](Expr i, Expr j, Expr k) { return A(i, j, k) * 2.0; }, "B");
  const Tensor C = compute({3, 4, 16}, [&](Expr i, Expr j, Expr k) { return B(i, j, k) + 1.0; }, "C");
  const std::pair<std::int64_t, const char*> cases[] = {
      {8, "float32[1, 1, 8]"}, {16, "float32[1, 1, 16]"}, {32, "float32[1, 2, 16]"}, {64, "float32[1, 4, 16]"}};
  for (const auto& [part, region] : cases) {
    Schedule s = create_schedule(C);
    const IterVar all = s[C].fuse(s[C].fuse(s[C].axis(0), s[C].axis(1)), s[C].axis(2));
    s[B].compute_at(s[C], s[C].split(all, factor(part)).first);
    EXPECT_THAT(ir::to_string(lower(s, {A, C}, Target(), "f")), HasSubstr(region)) << part;
    expect_same_results(s, {C}, {A, C});
  }
}

TEST(FusedRegions, TilesOfAFusedOrder) {
  // The loops over tiles are fused, as for threads, and split once more.
  const Tensor A = placeholder({16, 24}, kFloat32, "A");
  const Tensor B = compute({16, 24}, [&](Expr i, Expr j) { return A(i, j) * 2.0; }, "B");
  const Tensor C = compute({16, 24}, [&](Expr i, Expr j) { return B(i, j) + 1.0; }, "C");
  Schedule s = create_schedule(C);
  const auto [io, jo, ii, ji] = s[C].tile(s[C].axis(0), s[C].axis(1), 4, 4);
  const auto [outer, inner] = s[C].split(s[C].fuse(io, jo), factor(3));
  s[B].compute_at(s[C], outer);
  EXPECT_THAT(ir::to_string(lower(s, {A, C}, Target(), "f")), HasSubstr("global B: float32[4, 12]\n"));
  expect_same_results(s, {C}, {A, C});
}

TEST(FusedRegions, APartOfRowsOfUnknownLengthIsRefused) {
  const Var m = var("m");
  const Tensor A = placeholder({5, m}, kFloat32, "A"), W = placeholder({4}, kFloat32, "W");
  const Tensor B = compute({5, m}, [&](Expr i, Expr j) { return A(i, j) * 2.0; }, "B");
  const Tensor V = compute({4}, [&](Expr i) { return W(i) * 2.0; }, "V");
  const Tensor C = compute({5, m}, [&](Expr i, Expr j) { return B(i, j) + V(3); }, "C");
  const auto lowered = [&](const Tensor& stage, bool at_part) {
    Schedule s = create_schedule(C);
    const auto [outer, inner] = s[C].split(s[C].fuse(s[C].axis(0), s[C].axis(1)), factor(8));
    s[stage].compute_at(s[C], at_part ? outer : inner);
    return lower(s, {A, W, C}, Target(), "f");
  };
  EXPECT_EQ(
      message<LowerError>([&] { lowered(B, true); }),
      "B is computed at i.j.outer of C, a part of the loop that i and j were fused to; what a part needs of it cannot "
      "be told, as the extent of j is not constant: compute it outside of the fused loop, or at a loop that is no "
      "part");
  for (const ir::Program& program : {lowered(B, false), lowered(V, true)}) {
    for (const std::int64_t columns : {1, 3, 8}) {
      EXPECT_EQ(run_program(program, 1, {columns}), run_unscheduled(C, {A, W, C}, {columns})) << ir::to_string(program);
    }
  }
}

TEST(FusedRegions, SymbolicNumberOfRows) {
  const Var n = var("n");
  for (const std::int64_t part : {4, 16, 6}) {
    Fused f(n, 8, part);
    f.s[f.B].compute_at(f.s[f.C], f.outer);
    const ir::Program program = lower(f.s, {f.A, f.C}, Target(), "f");
    EXPECT_THAT(ir::verify(program, ir::Form::kLoop), ::testing::IsEmpty()) << ir::to_string(program);
    for (const std::int64_t rows : {1, 3, 4}) {
      EXPECT_EQ(run_program(program, 1, {rows}), run_unscheduled(f.C, {f.A, f.C}, {rows})) << ir::to_string(program);
    }
  }
}

TEST(FusedRegions, AStageMovesToTheLoopThatStandsForItsLoop) {
  const Tensor A = placeholder({10, 12}, kFloat32, "A");
  const Tensor B = compute({10, 12}, [&](Expr i, Expr j) { return A(i, j) * 2.0; }, "B");
  const Tensor C = compute({10, 12}, [&](Expr i, Expr j) { return B(i, j) + 1.0; }, "C");
  Schedule s = create_schedule(C);
  s[B].compute_at(s[C], s[C].axis(1));
  const auto [jo, ji] = s[C].split(s[C].axis(1), factor(4));
  expect_same_results(s, {C}, {A, C});
  const IterVar j = s[C].fuse(jo, ji);
  expect_same_results(s, {C}, {A, C});
  s[C].split(s[C].fuse(s[C].axis(0), j), factor(5));
  expect_same_results(s, {C}, {A, C});
  EXPECT_THAT(ir::to_string(lower(s, {A, C}, Target(), "f")), HasSubstr("global B: float32[1, 1]\n"));
}

TEST(FusedRegions, ThreadsOfABlockShareItsPart) {
  const std::pair<std::int64_t, const char*> cases[] = {{8, "shared A.cache: float32[1, 8]\n"},
                                                        {64, "shared A.cache: float32[2, 32]\n"}};
  for (const auto& [threads, region] : cases) {
    Fused f(16, 32, threads);
    f.s[f.B].compute_inline();
    const Tensor cache = f.s.cache_read(f.A, ir::Scope::kShared, {f.C});
    f.s[f.C].bind(f.outer, kBlockIdxX).bind(f.inner, kThreadIdxX);
    f.s[cache].compute_at(f.s[f.C], f.inner);
    f.s[cache].bind(f.s[cache].split(f.s[cache].axis(1), factor(8)).second, kThreadIdxX);
    const ir::Program program = lower(f.s, {f.A, f.C}, device_target(), "f");
    EXPECT_THAT(ir::to_string(program), HasSubstr(region));
    EXPECT_THAT(ir::verify(program, ir::Form::kLoop), ::testing::IsEmpty());
    for (const std::uint64_t seed : {1, 2}) EXPECT_EQ(run_program(program, seed), run_unscheduled(f.C, {f.A, f.C}));
  }
}

}  // namespace
}  // namespace nestwright::testing
