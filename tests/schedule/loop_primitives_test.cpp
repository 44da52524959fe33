// tile, reorder and fuse.
#include "matmul_fixture.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;

class Tile : public MatmulSchedule {};
class Reorder : public MatmulSchedule {};
class Fuse : public MatmulSchedule {};

TEST_F(Tile, PutsTilesInside) {
  const auto [i0, j0, i1, j1] = s[c].tile(i, j, 16, 12, Tail::partition());
  EXPECT_THAT(loops(c), ElementsAre("i.outer", "j.outer", "i.inner", "j.inner", "k"));
  EXPECT_EQ(extent(i0), 4);
  EXPECT_EQ(extent(j0), 4);
  EXPECT_EQ(extent(i1), 16);
  EXPECT_EQ(extent(j1), 12);
  EXPECT_EQ(stage(c).relations.size(), 2u);
  EXPECT_EQ(s.trace().str(), "tile C.0 C.1 16 12 tail=partition\n") << "one step, not three";
}

TEST_F(Tile, LeavesLoopsBetweenInPlace) {
  s[c].tile(i, k, 16, 8);
  EXPECT_THAT(loops(c), ElementsAre("i.outer", "k.outer", "j", "i.inner", "k.inner"));
}

TEST_F(Tile, MovesTheStagesThatAreComputedAtItsLoops) {
  const Tensor of_a = s.cache_read(a, ir::Scope::kLocal, {c}), of_b = s.cache_read(b, ir::Scope::kLocal, {c});
  s[of_a].compute_at(s[c], i);
  s[of_b].compute_at(s[c], j);
  const auto [i0, j0, i1, j1] = s[c].tile(i, j, 16, 12);
  EXPECT_EQ(stage(of_a).attach.loop, i1);
  EXPECT_EQ(stage(of_b).attach.loop, j1);
  Schedule again = create_schedule(c);
  Trace::parse(s.trace().str()).replay(again);
  EXPECT_EQ(again.str(), s.str());
}

TEST_F(Tile, RefusesWhenEitherSplitIsRefused) {
  expect_refused([&] { s[c].tile(i, i, 4, 4); }, "tile", "i", "a tile has two different loops");
  expect_refused([&] { s[c].tile(i, j, 4, 0); }, "tile", "j", "factor 0 is below 1");
  s[c].parallel(i);
  expect_refused([&] { s[c].tile(i, j, 4, 4); }, "tile", "i", "it is parallel already");
}

TEST_F(Reorder, PermutesThePositionsOfTheNamed) {
  s[c].reorder({k, i});
  EXPECT_THAT(loops(c), ElementsAre("k", "j", "i"));
  s[c].reorder({j, i, k});
  EXPECT_THAT(loops(c), ElementsAre("j", "i", "k"));
  EXPECT_TRUE(stage(c).relations.empty());
}

TEST_F(Reorder, KeepsAttachments) {
  const Tensor cache = s.cache_read(b, ir::Scope::kLocal, {c});
  s[cache].compute_at(s[c], j);
  s[c].reorder({j, i});
  EXPECT_EQ(stage(cache).attach.loop, j);
}

TEST_F(Reorder, RefusesForeignAndDoubleLoops) {
  expect_refused([&] { s[c].reorder({i, j, i}); }, "reorder", "i", "it is named twice");
  expect_refused([&] { s[c].reorder({i, reduce_axis(3, "x")}); }, "reorder", "x", "it is no loop of C");
  expect_refused([&] { s[c].reorder({}); }, "reorder", "C", "no loop is named");
}

TEST_F(Fuse, MakesOneLoop) {
  const IterVar fused = s[c].fuse(i, j);
  EXPECT_THAT(loops(c), ElementsAre("i.j", "k"));
  EXPECT_EQ(extent(fused), 64 * 48);
  EXPECT_FALSE(fused.is_reduce());
  const auto& relation = std::get<FuseRelation>(stage(c).relations[0]);
  EXPECT_EQ(relation.outer, i);
  EXPECT_EQ(relation.inner, j);
  EXPECT_EQ(relation.fused, fused);
}

TEST_F(Fuse, TakesTheLeavesOfTheScheduleThemselves) {
  s[c].fuse(stage(c).leaves[0], stage(c).leaves[1]);
  const auto& relation = std::get<FuseRelation>(stage(c).relations[0]);
  EXPECT_EQ(relation.outer, i);
  EXPECT_EQ(relation.inner, j);
}

TEST_F(Fuse, OfTwoReduceLoops) {
  const auto [k0, k1] = s[c].split(k, factor(8));
  EXPECT_TRUE(s[c].fuse(k0, k1).is_reduce());
}

TEST_F(Fuse, RefusesLoopsThatAreNotOneAboveTheOther) {
  expect_refused([&] { s[c].fuse(j, i); }, "fuse", "j", "i is not the loop directly inside it: reorder them first");
  expect_refused([&] { s[c].fuse(i, k); }, "fuse", "i", "k is not the loop directly inside it");
  expect_refused([&] { s[c].fuse(i, i); }, "fuse", "i", "i is not the loop directly inside it");
  expect_refused([&] { s[c].fuse(j, k); }, "fuse", "j", "one of it and k is spatial");
}

TEST_F(Fuse, RefusesLoopsThatAreInUse) {
  const Tensor cache = s.cache_read(b, ir::Scope::kLocal, {c});
  s[cache].compute_at(s[c], i);
  expect_refused([&] { s[c].fuse(i, j); }, "fuse", "i", "B.cache is computed there");
  s[cache].compute_root();
  s[c].parallel(i);
  expect_refused([&] { s[c].fuse(i, j); }, "fuse", "i", "it is parallel already");
}

TEST_F(Fuse, RefusesComposedLoops) {
  const auto [i0, i1] = s[c].split(i, factor(14), Tail::compose({14, 8}));
  expect_refused([&, outer = i0, inner = i1] { s[c].fuse(outer, inner); }, "fuse", "i.outer",
                 "it comes from a composed split");
}

}  // namespace
}  // namespace nestwright
