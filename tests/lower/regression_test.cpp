// Regression tests: schedules that were lowered wrongly, as found by random testing (tests/property) and then
// minimised.
#include <gtest/gtest.h>

#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "nestwright/tensor.h"
#include "run_program.h"

namespace nestwright {
namespace {

/// Expects the scheduled program to give the results of the unscheduled one.
void expect_unchanged(const Schedule& schedule, const std::vector<Tensor>& arguments, const Tensor& output) {
  LowerOptions options;
  options.verify = true;
  const Target target = Target::parse("cpu,isa=avx2");
  const ir::Program scheduled = lower(schedule, arguments, target, "scheduled", options);
  const ir::Program plain = lower(create_schedule(output), arguments, target, "plain", options);
  EXPECT_EQ(testing::run_program(scheduled), testing::run_program(plain));
}

std::vector<Expr> tiles_of(std::span<const Expr> axes, std::size_t axis, int factor) {
  std::vector<Expr> indices(axes.begin(), axes.end());
  indices[axis] = axes[axis] % Expr(factor);
  indices.push_back(axes[axis] / Expr(factor));
  return indices;
}

TEST(Regression, ATileThatIsCutKeepsWhatTheLanesOfOthersHold) {
  const Tensor a = placeholder({1, 5}, kFloat32, "A");
  const Tensor c = compute({1, 5}, [&](Expr i, Expr j) { return a(i, j); }, "C");
  Schedule s = create_schedule(c);
  const Tensor cache = s.cache_read(a, ir::Scope::kLocal, {c});
  const auto loops = s.transform_layout(cache, [](std::span<const Expr> axes) { return tiles_of(axes, 1, 2); });
  s[cache].compute_at(s[c], s[c].axis(0));
  s[cache].reorder({loops[2], loops[1]});
  s[cache].vectorize(loops[2]);
  expect_unchanged(s, {a, c}, c);
}

TEST(Regression, AScalarIsNotLoadedWhereNoLaneIsActive) {
  const Tensor a = placeholder({65}, kFloat32, "A"), w = placeholder({5}, kFloat32, "W");
  const Tensor c = compute({65}, [&](Expr i) { return a(i) * w(i / 16); }, "C");
  Schedule s = create_schedule(c);
  const auto [outer, inner] = s[c].split(s[c].axis(0), factor(64), Tail::predicate());
  const auto [middle, lane] = s[c].split(inner, factor(16));
  s[c].vectorize(lane);
  LowerOptions options;
  options.verify = true;
  const Target target = Target::parse("cpu,isa=avx512");
  const ir::Program vectors = expand(lower(s, {a, w, c}, target, "scheduled", options), target, options);
  EXPECT_TRUE(ir::verify(vectors, ir::Form::kVector).empty());
  EXPECT_EQ(testing::run_program(vectors), testing::run_unscheduled(c, {a, w, c}));
}

TEST(Regression, AProducerCoversTheTilesThatItsReaderStores) {
  const Tensor a = placeholder({4}, kFloat32, "A");
  const Tensor c = compute({4}, [&](Expr i) { return a(i) + Expr(1.0); }, "C");
  Schedule s = create_schedule(c);
  const Tensor tile = s.cache_write(c, ir::Scope::kGlobal);
  const Tensor cache = s.cache_read(tile, ir::Scope::kGlobal, {c});
  s.transform_layout(cache, [](std::span<const Expr> axes) { return tiles_of(axes, 0, 3); });
  s[tile].compute_at(s[c], s[c].axis(0));
  s[cache].compute_at(s[c], s[c].axis(0));
  expect_unchanged(s, {a, c}, c);
}

TEST(Regression, AProducerInsideALayoutIsReadWhereTheTileIs) {
  const Tensor b = placeholder({2, 1}, kFloat32, "B");
  const Tensor c = compute({2, 1}, [&](Expr i, Expr j) { return b(i, j); }, "C");
  Schedule s = create_schedule(c);
  const Tensor cache = s.cache_read(b, ir::Scope::kGlobal, {c});
  const Tensor inner = s.cache_read(b, ir::Scope::kGlobal, {cache});
  const auto loops = s.transform_layout(cache, [](std::span<const Expr> axes) { return tiles_of(axes, 0, 2); });
  s[cache].compute_at(s[c], s[c].axis(0));
  s[inner].compute_at(s[cache], loops[0]);
  expect_unchanged(s, {b, c}, c);
}

TEST(Regression, FillingAPadKeepsTheGuardsOfOtherAxes) {
  const Tensor b = placeholder({1, 5}, kFloat32, "B");
  const Tensor c = compute({1, 5}, [&](Expr i, Expr j) { return b(i, j); }, "C");
  Schedule s = create_schedule(c);
  const Tensor cache = s.cache_read(b, ir::Scope::kGlobal, {c});
  const auto loops = s.transform_layout(cache, [](std::span<const Expr> axes) { return tiles_of(axes, 0, 3); });
  s[cache].split(loops[1], factor(2));
  expect_unchanged(s, {b, c}, c);
}

TEST(Regression, AReadThatASelectMayDiscardKeepsTheModuloOfItsIndex) {
  const Tensor a = placeholder({3}, kFloat32, "A");
  const Tensor t = compute({2}, [&](Expr i) { return a((i * 3 + i * i) % 3); }, "T");
  const Tensor c = compute({4}, [&](Expr i) { return select(i < 2, t(i), Expr(0.0)); }, "C");
  Schedule s = create_schedule(c);
  s[t].compute_inline();
  expect_unchanged(s, {a, c}, c);
}

TEST(Regression, TwoIndicesTogetherReachNoFurtherInsideThanOutside) {
  const Tensor a = placeholder({13, 17}, kFloat32, "A");
  const Tensor t = compute({13, 17}, [&](Expr i, Expr j) { return a(i, j) + Expr(1.0); }, "T");
  const Tensor c = compute({13, 16}, [&](Expr i, Expr j) { return t(i, j) - t(i, i); }, "C");
  Schedule s = create_schedule(c);
  s[t].compute_at(s[c], s[c].axis(0));
  const Tensor cache = s.cache_read(t, ir::Scope::kLocal, {c});
  s[cache].compute_at(s[c], s[c].axis(1));
  expect_unchanged(s, {a, c}, c);
}

TEST(Regression, ATileIsNotCarriedFurtherThanItIsCopiedOut) {
  const Tensor a = placeholder({2, 2}, kFloat32, "A");
  const IterVar k = reduce_axis(2, "k");
  const Tensor c = compute({2}, [&](Expr i) { return sum(a(i, k), k); }, "C");
  Schedule s = create_schedule(c);
  const IterVar ko = s[c].split(k, factor(1)).first;
  const Tensor tile = s.cache_write(c, ir::Scope::kLocal, ko);
  s[tile].compute_at(s[c], ko);
  const Tensor cache = s.cache_read(tile, ir::Scope::kLocal, {c});
  s[cache].compute_at(s[c], ko);
  s.transform_layout(cache, [](std::span<const Expr> axes) { return tiles_of(axes, 0, 6); });
  try {
    lower(s, {a, c}, Target::parse("cpu,isa=avx2"), "wide");
    FAIL() << "it was lowered";
  } catch (const LowerError& error) {
    EXPECT_STREQ(
        error.what(),
        "C.tile sums up 2 elements along i where C copies 1 out: more is read of it than it can carry from block "
        "to block, so read it without a layout of whole tiles");
  }
}

TEST(Regression, FusedTilesSplitAgainEndWhereTheCutTileDoes) {
  const Tensor c = compute({1, 6}, [&](Expr, Expr) { return Expr(1.0); }, "C");
  Schedule s = create_schedule(c);
  const auto [jo, ji] = s[c].split(s[c].axis(1), factor(4), Tail::partition());
  const IterVar first = s[c].split(ji, nparts(4), Tail::partition()).first;
  s[c].fuse(jo, first);
  expect_unchanged(s, {c}, c);
}

TEST(Regression, ACacheInsideReadsNoMoreThanIsComputedOutside) {
  const Tensor a = placeholder({3}, kFloat32, "A");
  const Tensor t = compute({3}, [&](Expr i) { return a(i) + Expr(1.0); }, "T");
  const IterVar k = reduce_axis(2, "k");
  const Tensor c = compute({2}, [&](Expr i) { return sum(t(i + k) * t(i), k); }, "C");
  Schedule s = create_schedule(c);
  s[t].compute_at(s[c], s[c].axis(0));
  const Tensor cache = s.cache_read(t, ir::Scope::kLocal, {c});
  s[cache].compute_at(s[c], k);
  expect_unchanged(s, {a, c}, c);
}

TEST(Regression, ATileInsideReadsNoMoreThanIsComputedOutside) {
  const Tensor a = placeholder({3}, kFloat32, "A");
  const Tensor t = compute({3}, [&](Expr i) { return a(i) + Expr(1.0); }, "T");
  const Tensor c = compute({1, 2}, [&](Expr, Expr j) { return t(j); }, "C");
  Schedule s = create_schedule(c);
  s[t].compute_at(s[c], s[c].axis(0));
  const Tensor cache = s.cache_read(t, ir::Scope::kGlobal, {c});
  s[cache].compute_at(s[c], s[c].axis(1));
  s.transform_layout(cache, [](std::span<const Expr> axes) { return tiles_of(axes, 0, 2); });
  expect_unchanged(s, {a, c}, c);
}

TEST(Regression, AChainOfTilesInsideReadsNoMoreThanIsComputedOutside) {
  const Tensor a = placeholder({5}, kFloat32, "A");
  const Tensor c = compute({5}, [&](Expr i) { return a(i); }, "C");
  const auto tiles = [](std::span<const Expr> axes) { return std::vector<Expr>{axes[0] % Expr(4), axes[0] / Expr(4)}; };
  Schedule s = create_schedule(c);
  const Tensor outside = s.cache_read(a, ir::Scope::kGlobal, {c});
  const Tensor first = s.cache_read(outside, ir::Scope::kGlobal, {c});
  const Tensor last = s.cache_read(first, ir::Scope::kGlobal, {c});
  const auto last_loops = s.transform_layout(last, tiles);
  const Tensor middle = s.cache_read(first, ir::Scope::kGlobal, {last});
  const auto middle_loops = s.transform_layout(middle, tiles);
  s[outside].compute_at(s[c], s[c].axis(0));
  s[last].compute_at(s[c], s[c].axis(0));
  s[middle].compute_at(s[last], last_loops[1]);
  s[first].compute_at(s[middle], middle_loops[0]);
  expect_unchanged(s, {a, c}, c);
}

TEST(Regression, ATileIsNotCarriedWhereItsCopyTakesSteps) {
  const Tensor a = placeholder({4, 2}, kFloat32, "A");
  const IterVar k = reduce_axis(2, "k");
  const Tensor c = compute({4}, [&](Expr i) { return sum(a(i, k), k); }, "C");
  Schedule s = create_schedule(c);
  const auto [io, ii] = s[c].split(s[c].axis(0), factor(2));
  const IterVar ko = s[c].split(k, factor(1)).first;
  s[c].reorder({ii, ko, io});
  const Tensor tile = s.cache_write(c, ir::Scope::kLocal, ko);
  s[tile].compute_at(s[c], ko);
  try {
    lower(s, {a, c}, Target::parse("cpu,isa=avx2"), "steps");
    FAIL() << "it was lowered";
  } catch (const LowerError& error) {
    EXPECT_STREQ(error.what(),
                 "C.tile is summed up in blocks, but the loops of C inside step over some of the indices of i that it "
                 "covers: reorder them so that what C stores there is contiguous");
  }
}

TEST(Regression, ATileIsCarriedAsFarAsTheLoopsOfASingleTileGo) {
  const Tensor a = placeholder({4, 2}, kFloat32, "A");
  const IterVar k = reduce_axis(2, "k");
  const Tensor c = compute({4}, [&](Expr i) { return sum(a(i, k), k); }, "C");
  Schedule s = create_schedule(c);
  const auto [io, ii] = s[c].split(s[c].axis(0), factor(4));
  const IterVar ko = s[c].split(k, factor(1)).first;
  const Tensor tile = s.cache_write(c, ir::Scope::kLocal, ko);
  s[tile].compute_at(s[c], ko);
  const auto [iio, iii] = s[c].split(ii, factor(1));
  const auto [ioo, ioi] = s[c].split(io, factor(1));
  s[c].reorder({iio, ioo, ko, iii, ioi});
  expect_unchanged(s, {a, c}, c);
}

TEST(Regression, ASegmentKeepsItsPlaceWhenAnOuterOneTurnsOutShorter) {
  const Tensor a = placeholder({15}, kFloat32, "A");
  const IterVar r = reduce_axis(0, 15, "r");
  const Tensor c = compute({}, [&] { return sum(a(r), {r}); }, "C");
  Schedule s = create_schedule(c);
  const auto [ro, ri] = s[c].split(r, factor(7), Tail::compose({7, 8}));
  s[c].tile(ro, ri, 2, 2, Tail::compose({2, 3}));
  expect_unchanged(s, {a, c}, c);
}

TEST(Regression, ATileOfWholeVectorsHoldsWhatTheLoopsInsideThemStore) {
  const Tensor b = compute({1}, [](Expr) { return Expr(1.0); }, "B");
  const Tensor c = compute({1}, [&](Expr i) { return b(i); }, "C");
  Schedule s = create_schedule(c);
  s[b].compute_at(s[c], s[c].axis(0));
  const auto [io, ii] = s[b].split(s[b].axis(0), factor(2), Tail::predicate());
  s[b].vectorize(s[b].split(io, factor(2), Tail::predicate()).second);
  s[b].set_scope(ir::Scope::kLocal);
  expect_unchanged(s, {c}, c);
}

TEST(Regression, ASplitOfComposedTilesInsideTheirLoopIsRefused) {
  const Tensor a = placeholder({5}, kFloat32, "A");
  const Tensor c = compute({5}, [&](Expr i) { return a(i); }, "C");
  Schedule s = create_schedule(c);
  const auto [io, ii] = s[c].split(s[c].axis(0), factor(2), Tail::compose({2, 3}));
  s[c].reorder({ii, io});
  s[c].split(io, factor(1), Tail::partition());
  try {
    lower(s, {a, c}, Target::parse("cpu,isa=avx2"), "composed");
    FAIL() << "it was lowered";
  } catch (const LowerError& error) {
    EXPECT_STREQ(error.what(),
                 "i.outer of C counts the tiles of a composed split and is split again inside i.inner: reorder i.inner "
                 "inside, or use another tail");
  }
}

TEST(Regression, ACacheInAStepReachesNoFurtherThanWhatTheStepComputes) {
  const Tensor a = placeholder({3, 4}, kFloat32, "A"), state = placeholder({3, 4}, kFloat32, "S");
  const Tensor init = compute({1, 4}, [&](Expr t, Expr j) { return a(t, j); }, "init");
  const Tensor part = compute({3, 4}, [&](Expr t, Expr j) { return state(t - 1, j) + a(t, j); }, "part");
  const Tensor update = compute({3, 4}, [&](Expr t, Expr j) { return part(t, j / 2); }, "update");
  const Tensor c = scan(init, update, state, {}, "C");
  Schedule s = create_schedule(c);
  const Tensor cache = s.cache_read(part, ir::Scope::kGlobal, {update});
  s[cache].compute_at(s[update], s[update].axis(1));
  expect_unchanged(s, {a, c}, c);
  Schedule written = create_schedule(c);
  written[part].compute_at(written[update], written[update].axis(1));
  written.cache_write(part, ir::Scope::kGlobal);
  expect_unchanged(written, {a, c}, c);
}

}  // namespace
}  // namespace nestwright
