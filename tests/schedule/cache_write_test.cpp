#include "matmul_fixture.h"
#include "nestwright/program.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;

class CacheWrite : public MatmulSchedule {};

TEST_F(CacheWrite, MovesTheComputation) {
  const Tensor tile = s.cache_write(c, ir::Scope::kRegister);
  EXPECT_EQ(tile.name(), "C.tile");
  EXPECT_EQ(to_string(tile), "C.tile: float32[64, 48]");
  EXPECT_EQ(index(tile), 0);
  EXPECT_EQ(index(c), 1);
  EXPECT_THAT(loops(tile), ElementsAre("i", "j", "k"));
  EXPECT_THAT(loops(c), ElementsAre("i", "j"));
  EXPECT_EQ(s[c].axis(0), i);
  EXPECT_FALSE(s[tile].axis(0) == i) << "the tile has spatial axes of its own";
  EXPECT_EQ(s[tile].reduce_axis(0), k);
  EXPECT_EQ(ir::to_string(stage(c).op.compute()->bodies[0]), "C.tile[i, j]");
  EXPECT_EQ(stage(c).op->results[0], c.buffer());
  EXPECT_EQ(stage(c).op->inputs, std::vector<Operation>{tile.op()});
  EXPECT_TRUE(stage(c).is_output);
  EXPECT_FALSE(stage(tile).is_output);
  EXPECT_EQ(stage(tile).scope, ir::Scope::kRegister);
  const auto* reduce = tile.op().compute()->reduction();
  ASSERT_NE(reduce, nullptr);
  const auto* product = reduce->values[0].as<ir::Binary>();
  ASSERT_NE(product, nullptr);
  EXPECT_EQ(product->a.as<ir::Load>()->indices[0].as<ir::VarRef>()->var, s[tile].axis(0).var());
  EXPECT_EQ(stage(tile).carried_from, -1);
  EXPECT_TRUE(stage(c).block_loops.empty());
}

TEST_F(CacheWrite, TheReductionsLoopsBelongToTheTile) {
  const Tensor tile = s.cache_write(c, ir::Scope::kRegister);
  expect_refused([&] { s[c].split(k, factor(4)); }, "split", "k", "it is no loop of C");
  s[tile].split(k, factor(4));
  EXPECT_THAT(loops(tile), ElementsAre("i", "j", "k.outer", "k.inner"));
  s[tile].compute_at(s[c], j);
  EXPECT_EQ(stage(tile).attach.stage, index(c));
}

TEST_F(CacheWrite, AfterScheduling) {
  const auto [io, ii] = s[c].split(i, factor(4));
  const auto [ko, ki] = s[c].split(k, factor(8));
  s[c].reorder({io, ko, ii, j, ki}).unroll(ki).parallel(io).vectorize(j);
  const Tensor cache = s.cache_read(b, ir::Scope::kLocal, {c});
  s[cache].compute_at(s[c], ko);
  const Tensor tile = s.cache_write(c, ir::Scope::kLocal);
  EXPECT_EQ(s[c].loops(), (std::vector<IterVar>{io, ii, j}));
  EXPECT_THAT(loops(tile), ElementsAre("i", "j", "k.outer", "k.inner"));
  EXPECT_EQ(stage(c).kinds.at(j), ir::LoopKind::kVectorized);
  EXPECT_EQ(stage(tile).kinds.at(ki), ir::LoopKind::kUnrolled);
  EXPECT_EQ(stage(cache).attach.stage, index(tile)) << "what is computed at a loop of the reduction moves along";
  EXPECT_EQ(stage(cache).attach.loop, ko);
  Schedule again = create_schedule(c);
  Trace::parse(s.trace().str()).replay(again);
  EXPECT_EQ(again.str(), s.str());
}

TEST_F(CacheWrite, RefusesWhatTheTileCannotTake) {
  s[c].prefetch(a, i, 2);
  expect_refused([&] { s.cache_write(c, ir::Scope::kRegister); }, "cache_write", "C",
                 "it prefetches what its tile will read: prefetch afterwards");
  const Tensor cache = s.cache_read(b, ir::Scope::kGlobal, {c});
  s.transform_layout(cache, [](std::span<const Expr> x) { return std::vector<Expr>{x[1], x[0]}; });
  expect_refused([&] { s.cache_write(cache, ir::Scope::kLocal); }, "cache_write", "B.cache",
                 "it has a layout of its own: cache_write comes before transform_layout");
}

TEST_F(CacheWrite, RefusesPlaceholders) {
  expect_refused([&] { s.cache_write(a, ir::Scope::kRegister); }, "cache_write", "A", "it is a placeholder");
}

TEST_F(CacheWrite, OfACacheTakesItsRoleAlong) {
  const Tensor cache = s.cache_read(b, ir::Scope::kGlobal, {c});
  const Tensor tile = s.cache_write(cache, ir::Scope::kLocal);
  EXPECT_EQ(tile.name(), "B.cache.tile");
  EXPECT_EQ(stage(tile).copy_of, b);
  EXPECT_FALSE(stage(cache).copy_of.defined());
}

TEST(CacheWriteOfAStage, KeepsItsReaders) {
  const Tensor a = placeholder({8}, kFloat32, "A");
  const Tensor b = compute({8}, [&](Expr i) { return a(i) + 1.0; }, "B");
  const Tensor c = compute({8}, [&](Expr i) { return b(i) * 2.0; }, "C");
  Schedule s = create_schedule(c);
  const Tensor tile = s.cache_write(b, ir::Scope::kLocal);
  ASSERT_EQ(s.state().stages.size(), 3u);
  EXPECT_EQ(s.state().stages[0].origin, tile);
  EXPECT_EQ(s.state().stages[2].op->inputs, std::vector<Operation>{s.state().stages[1].op});
  EXPECT_EQ(ir::to_string(s.state().stages[2].op.compute()->bodies[0]), "B[i]*2.0");
  EXPECT_EQ(s.state().find(s.state().stages[1].op), 1);
}

}  // namespace
}  // namespace nestwright
