#include "matmul_fixture.h"
#include "nestwright/program.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;

/// C's loops are ko, i.outer, j.outer, i.inner, j.inner and the rest of the reduction inside.
class CacheWriteBelow : public MatmulSchedule {
 protected:
  CacheWriteBelow() {
    s[c].tile(i, j, 16, 12);
    const auto [outer, inner] = s[c].split(k, factor(8), Tail::partition());
    ko = outer;
    ki = inner;
    const std::vector<IterVar> l = s[c].loops();
    s[c].reorder({ko, l[0], l[1], l[2], l[3]});
  }
  IterVar ko, ki;
};

TEST_F(CacheWriteBelow, KeepsTheBlocksAndMovesTheRest) {
  s[c].unroll(ki);
  const Tensor tile = s.cache_write(c, ir::Scope::kRegister, ko);
  EXPECT_THAT(loops(c), ElementsAre("k.outer", "i.outer", "j.outer", "i.inner", "j.inner"));
  EXPECT_THAT(loops(tile), ElementsAre("i", "j", "k.inner"));
  const StageState &copy = stage(c), &inside = stage(tile);
  EXPECT_EQ(copy.leaves[0], ko);
  EXPECT_EQ(inside.leaves[2], ki);
  EXPECT_FALSE(inside.leaves[0] == i);
  EXPECT_EQ(copy.block_loops, std::vector<IterVar>{ko});
  EXPECT_EQ(copy.tile_stage, index(tile));
  EXPECT_EQ(inside.carried_from, index(c));
  EXPECT_EQ(copy.carried_from, -1);
  EXPECT_EQ(inside.tile_stage, -1);
  EXPECT_EQ(copy.relations.size(), 2u) << "the spatial splits";
  ASSERT_EQ(inside.relations.size(), 1u);
  const auto& relation = std::get<SplitRelation>(inside.relations[0]);
  EXPECT_EQ(relation.parent, k);
  EXPECT_EQ(relation.outer, ko);
  EXPECT_EQ(relation.inner, ki);
  EXPECT_THAT(relation.factors, ElementsAre(8));
  EXPECT_EQ(relation.tail.kind, TailKind::kPartition);
  EXPECT_EQ(inside.kinds.at(ki), ir::LoopKind::kUnrolled);
  EXPECT_TRUE(copy.kinds.empty());
  EXPECT_EQ(ir::to_string(copy.op.compute()->bodies[0]), "C.tile[i, j]");
  EXPECT_EQ(s[tile].reduce_axis(0), k);
  EXPECT_NE(tile.op().compute()->reduction(), nullptr);
  EXPECT_TRUE(copy.op.compute()->reduce_axes.empty());
}

TEST_F(CacheWriteBelow, MovesFurtherSplitsOfTheInnerLoop) {
  s[c].split(ki, factor(4));
  const Tensor tile = s.cache_write(c, ir::Scope::kRegister, ko);
  EXPECT_THAT(loops(tile), ElementsAre("i", "j", "k.inner.outer", "k.inner.inner"));
  EXPECT_EQ(stage(tile).relations.size(), 2u);
}

TEST_F(CacheWriteBelow, MovesOtherAxesOfTheReductionWhole) {
  const Tensor x = placeholder({8, 6, 10}, kFloat32, "X");
  const IterVar p = reduce_axis(6, "p"), q = reduce_axis(10, "q");
  const Tensor y = compute({8}, [&](Expr n) { return sum(x(n, p, q), {p, q}); }, "Y");
  Schedule other = create_schedule(y);
  const auto [qo, qi] = other[y].split(q, factor(5));
  other[y].reorder({qo, p, qi});
  const Tensor tile = other.cache_write(y, ir::Scope::kRegister, qo);
  ASSERT_EQ(other[tile].loops().size(), 3u);
  EXPECT_EQ(other[tile].loops()[1], p);
  EXPECT_EQ(other[tile].loops()[2], qi);
  EXPECT_EQ(other[y].loops(), (std::vector<IterVar>{other[y].axis(0), qo}));
}

TEST_F(CacheWriteBelow, TakesAlongWhatIsComputedInAMovedLoop) {
  const Tensor cache_a = s.cache_read(a, ir::Scope::kLocal, {c});
  const Tensor cache_b = s.cache_read(b, ir::Scope::kLocal, {c});
  s[cache_a].compute_at(s[c], ki);
  s[cache_b].compute_at(s[c], ko);
  const Tensor tile = s.cache_write(c, ir::Scope::kRegister, ko);
  EXPECT_EQ(stage(cache_a).attach.stage, index(tile));
  EXPECT_EQ(stage(cache_b).attach.stage, index(c));
}

TEST_F(CacheWriteBelow, IsAttachedInsideItsBlocks) {
  const std::vector<IterVar> l = s[c].loops();
  s[c].reorder({l[1], ko});  // i.outer outside the blocks
  const Tensor tile = s.cache_write(c, ir::Scope::kRegister, ko);
  expect_refused([&] { s[tile].compute_at(s[c], l[1]); }, "compute_at", "i.outer", "it lies outside k.outer");
  expect_refused([&] { s[tile].compute_root(); }, "compute_root", "C.tile", "it is the tile of a blocked reduction");
  s[tile].compute_at(s[c], l[2]);
  EXPECT_EQ(stage(tile).attach.loop, l[2]);
  expect_refused([&] { s[c].split(ko, factor(2)); }, "split", "k.outer",
                 "a tile made by cache_write counts its blocks");
  expect_refused([&] { s.cache_write(c, ir::Scope::kLocal); }, "cache_write", "C",
                 "part of a blocked reduction already");
  expect_refused([&] { s.cache_write(tile, ir::Scope::kLocal); }, "cache_write", "C.tile", "blocked reduction already");
}

TEST_F(CacheWriteBelow, RefusesLoopsThatAreNoBlocks) {
  expect_refused([&] { s.cache_write(c, ir::Scope::kRegister, s[c].loops()[1]); }, "cache_write", "i.outer",
                 "it is no loop of the reduction");
  expect_refused([&] { s.cache_write(c, ir::Scope::kRegister, ki); }, "cache_write", "k.inner",
                 "it is not the outer loop of a split of an axis of the reduction");
  expect_refused([&] { s.cache_write(c, ir::Scope::kRegister, k); }, "cache_write", "k", "it was replaced");
  s[c].prefetch(a, ko, 1);
  expect_refused([&] { s.cache_write(c, ir::Scope::kRegister, ko); }, "cache_write", "C", "prefetch afterwards");
}

TEST_F(MatmulSchedule, CacheWriteBelowRefusesAWholeAxisAndComposedBlocks) {
  expect_refused([&] { s.cache_write(c, ir::Scope::kRegister, k); }, "cache_write", "k", "split that axis first");
  const auto [ko, ki] = s[c].split(k, factor(10), Tail::compose({10, 6}));
  expect_refused([&, below = ko] { s.cache_write(c, ir::Scope::kRegister, below); }, "cache_write", "k.outer",
                 "its split is composed");
  const Tensor cache = s.cache_read(b, ir::Scope::kLocal, {c});
  expect_refused([&] { s.cache_write(cache, ir::Scope::kRegister, s[cache].axis(0)); }, "cache_write", "B.cache",
                 "it is no reduction");
}

}  // namespace
}  // namespace nestwright
