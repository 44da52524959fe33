#include "matmul_fixture.h"
#include "nestwright/program.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;

class Split : public MatmulSchedule {};

TEST_F(Split, ByFactor) {
  const auto [outer, inner] = s[c].split(i, factor(16));
  EXPECT_THAT(loops(c), ElementsAre("i.outer", "i.inner", "j", "k"));
  EXPECT_EQ(extent(outer), 4);
  EXPECT_EQ(extent(inner), 16);
  EXPECT_FALSE(outer.is_reduce());
  ASSERT_EQ(stage(c).relations.size(), 1u);
  const auto& relation = std::get<SplitRelation>(stage(c).relations[0]);
  EXPECT_EQ(relation.parent, i);
  EXPECT_EQ(relation.outer, outer);
  EXPECT_EQ(relation.inner, inner);
  EXPECT_THAT(relation.factors, ElementsAre(16));
  EXPECT_TRUE(relation.counts.empty());
  EXPECT_EQ(relation.tail.kind, TailKind::kGuard);
  EXPECT_EQ(stage(c).named, (std::vector<IterVar>{i, j, k, outer, inner}));
}

TEST_F(Split, RoundsUp) {
  const auto [outer, inner] = s[c].split(j, factor(20), Tail::partition());
  EXPECT_EQ(extent(outer), 3);
  EXPECT_EQ(extent(inner), 20);
  const auto [around, all] = s[c].split(i, factor(100));
  EXPECT_EQ(extent(around), 1);
  EXPECT_EQ(extent(all), 100);
}

TEST_F(Split, TakesHugeNumbersOfParts) {
  const auto [outer, inner] = s[c].split(i, nparts(std::numeric_limits<std::int64_t>::max()));
  EXPECT_EQ(extent(outer), 64);
  EXPECT_EQ(extent(inner), 1);
}

TEST_F(Split, TakesHugeFactors) {
  const auto [outer, inner] = s[c].split(i, factor(std::numeric_limits<std::int64_t>::max()));
  EXPECT_EQ(extent(outer), 1);
}

TEST_F(Split, ByParts) {
  const auto [outer, inner] = s[c].split(i, nparts(5));
  EXPECT_EQ(extent(inner), 13);
  EXPECT_EQ(extent(outer), 5);
  const auto [few, one] = s[c].split(j, nparts(100));
  EXPECT_EQ(extent(one), 1);
  EXPECT_EQ(extent(few), 48) << "parts without iterations are left out";
}

TEST_F(Split, OfTheReductionStaysThere) {
  const auto [outer, inner] = s[c].split(k, factor(8));
  EXPECT_TRUE(outer.is_reduce());
  EXPECT_TRUE(inner.is_reduce());
}

TEST_F(Split, Composed) {
  const auto [outer, inner] = s[c].split(i, factor(14), Tail::compose({14, 12, 8}));
  const auto& relation = std::get<SplitRelation>(stage(c).relations[0]);
  EXPECT_THAT(relation.factors, ElementsAre(14, 8)) << "a segment without tiles is left out";
  EXPECT_THAT(relation.counts, ElementsAre(4, 1));
  EXPECT_EQ(extent(outer), 5);
  EXPECT_EQ(extent(inner), 14);
  s[c].split(j, {{20, 14}, 0}, Tail::compose({20, 14}));
  EXPECT_THAT(std::get<SplitRelation>(stage(c).relations[1]).counts, ElementsAre(1, 2));
}

TEST_F(Split, RefusesLoopsThatAreNone) {
  const IterVar i_before = i;
  expect_refused([&] { s[c].split(IterVar(), factor(4)); }, "split", "an undefined loop", "it is no loop of C");
  expect_refused([&] { s[c].split(reduce_axis(4, "x"), factor(4)); }, "split", "x", "it is no loop of C");
  s[c].split(i, factor(4));
  expect_refused([&] { s[c].split(i_before, factor(4)); }, "split", "i", "it was replaced by other loops of C");
}

TEST_F(Split, RefusesSizesThatAreNone) {
  expect_refused([&] { s[c].split(i, factor(0)); }, "split", "i", "factor 0 is below 1");
  expect_refused([&] { s[c].split(i, factor(-4)); }, "split", "i", "factor -4 is below 1");
  expect_refused([&] { s[c].split(i, nparts(-1)); }, "split", "i", "-1 parts");
  expect_refused([&] { s[c].split(i, nparts(0)); }, "split", "i", "neither a factor nor a number of parts");
  expect_refused([&] { s[c].split(i, {{4}, 4}); }, "split", "i", "a factor or a number of parts, not both");
  expect_refused([&] { s[c].split(i, {{4, 3}, 0}); }, "split", "i", "several factors need Tail::compose");
}

TEST_F(Split, RefusesCompositionsThatDoNotCover) {
  expect_refused([&] { s[c].split(i, factor(15), Tail::compose({15, 6})); }, "split", "i",
                 "no multiples of 15 and 6 add up to its extent of 64");
  expect_refused([&] { s[c].split(i, factor(8), Tail::compose({})); }, "split", "i", "one to 4 segments, not 0");
  expect_refused([&] { s[c].split(i, factor(8), Tail::compose({8, 8})); }, "split", "i", "named twice");
  expect_refused([&] { s[c].split(i, factor(8), Tail::compose({8, 0})); }, "split", "i", "segment 0 of compose");
  expect_refused([&] { s[c].split(i, factor(3), Tail::compose({8, 4})); }, "split", "i",
                 "the factor of a split with compose{8,4} is its first segment, 8");
  expect_refused([&] { s[c].split(i, nparts(8), Tail::compose({8, 4})); }, "split", "i", "is its first segment");
}

TEST_F(Split, MovesTheStagesThatAreComputedThereToTheInnerLoop) {
  const Tensor cache = s.cache_read(b, ir::Scope::kLocal, {c});
  s[cache].compute_at(s[c], i);
  const auto [outer, inner] = s[c].split(i, factor(4));
  EXPECT_EQ(stage(cache).attach.loop, inner);
  const IterVar fused = s[c].fuse(outer, inner);
  EXPECT_EQ(stage(cache).attach.loop, fused);
  Schedule again = create_schedule(c);
  Trace::parse(s.trace().str()).replay(again);
  EXPECT_EQ(again.str(), s.str());
}

TEST_F(Split, RefusesLoopsThatAreInUse) {
  s[c].vectorize(j);
  expect_refused([&] { s[c].split(j, factor(4)); }, "split", "j", "it is vectorized already");
  s[c].prefetch(a, k, 2);
  expect_refused([&] { s[c].split(k, factor(4)); }, "split", "k", "A is prefetched there");
}

TEST(SplitSymbolic, RoundsUpInTheExpression) {
  const Var n = var("n");
  const Tensor x = placeholder({n}, kFloat32, "X");
  const Tensor y = compute({n}, [&](Expr i) { return x(i) + 1.0; }, "Y");
  Schedule s = create_schedule(y);
  const IterVar i = s[y].axis(0);
  EXPECT_THROW(s[y].split(i, nparts(4)), ScheduleError);
  EXPECT_THROW(s[y].split(i, factor(4), Tail::partition()), ScheduleError);
  EXPECT_THROW(s[y].split(i, factor(4), Tail::compose({4})), ScheduleError);
  const auto [outer, inner] = s[y].split(i, factor(4), Tail::predicate());
  EXPECT_EQ(ir::to_string(outer.extent()), "(n - 1)/4 + 1");
  EXPECT_THROW(s[y].vectorize(outer), ScheduleError);
  EXPECT_THROW(s[y].unroll(outer), ScheduleError);
  s[y].vectorize(inner);
}

}  // namespace
}  // namespace nestwright
