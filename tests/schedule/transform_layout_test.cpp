#include "matmul_fixture.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;
using Layout = std::vector<Expr>;

class TransformLayout : public MatmulSchedule {
 protected:
  const Tensor cache = s.cache_read(b, ir::Scope::kGlobal, {c});

  void expect_layout_refused(const std::function<Layout(const Expr&, const Expr&)>& layout, const std::string& loop,
                             const std::string& reason) {
    expect_refused([&] { s.transform_layout(cache, [&](auto x) { return layout(x[0], x[1]); }); }, "transform_layout",
                   loop, reason);
  }
};

TEST_F(TransformLayout, PacksPanels) {
  const IterVar x = s[cache].axis(0), y = s[cache].axis(1);
  const auto l = s.transform_layout(cache, [](auto at) { return Layout{at[1] / 20, at[0], at[1] % 20}; });
  ASSERT_EQ(l.size(), 3u);
  EXPECT_THAT(loops(cache), ElementsAre("ax1.outer", "ax0", "ax1.inner"));
  EXPECT_EQ(extent(l[0]), 3) << "48 in whole tiles of 20";
  EXPECT_EQ(l[1], x);
  EXPECT_EQ(extent(l[2]), 20);
  EXPECT_EQ(stage(cache).layout, l);
  EXPECT_EQ(stage(cache).leaves, l);
  ASSERT_EQ(stage(cache).relations.size(), 1u);
  const auto& relation = std::get<LayoutRelation>(stage(cache).relations[0]);
  EXPECT_EQ(relation.axis, y);
  EXPECT_EQ(relation.outer, l[0]);
  EXPECT_EQ(relation.inner, l[2]);
  EXPECT_EQ(relation.factor, 20);
  EXPECT_EQ(s.trace().steps().back(), (TraceStep{"transform_layout", {"B.cache", "1/20", "0", "1%20"}}));
}

TEST_F(TransformLayout, TransposesAndTilesBoth) {
  const auto l = s.transform_layout(cache, [](auto at) { return Layout{at[1] % 8, at[0] / 4, at[0] % 4, at[1] / 8}; });
  EXPECT_THAT(loops(cache), ElementsAre("ax1.inner", "ax0.outer", "ax0.inner", "ax1.outer"));
  EXPECT_EQ(stage(cache).relations.size(), 2u);
  s[cache].vectorize(l[0]);
  s[cache].parallel(l[3]);
}

TEST_F(TransformLayout, LoopsMaySplitAfterwards) {
  const auto l = s.transform_layout(cache, [](auto at) { return Layout{at[1], at[0]}; });
  EXPECT_TRUE(stage(cache).relations.empty());
  s[cache].split(l[0], factor(4));
  EXPECT_THAT(loops(cache), ElementsAre("ax1.outer", "ax1.inner", "ax0"));
  EXPECT_EQ(stage(cache).layout, l);
}

TEST_F(TransformLayout, ReordersWhatAReductionComputes) {
  const Tensor tile = s.cache_write(c, ir::Scope::kLocal);
  const auto l = s.transform_layout(tile, [](auto at) { return Layout{at[1], at[0]}; });
  EXPECT_THAT(loops(tile), ElementsAre("j", "i", "k"));
  EXPECT_EQ(stage(tile).layout, l);
  EXPECT_EQ(l.size(), 2u);
}

TEST_F(TransformLayout, RefusesIndicesOfAnotherForm) {
  expect_layout_refused([](auto x, auto y) { return Layout{x + 1, y}; }, "B.cache",
                        "index ax0 + 1 of the layout is none of axis, axis / c and axis % c");
  expect_layout_refused([](auto x, auto y) { return Layout{x / y, y}; }, "B.cache", "no constant of at least 2");
  expect_layout_refused([](auto x, auto y) { return Layout{(x + y) / 4, y}; }, "B.cache", "is none of axis");
  expect_layout_refused([](auto, auto y) { return Layout{Expr(), y}; }, "B.cache", "is undefined");
  expect_layout_refused([&](auto, auto y) { return Layout{i, y}; }, "B.cache", "index i of the layout is none of");
}

TEST_F(TransformLayout, RefusesLayoutsThatLoseOrRepeatElements) {
  const std::string reason = "each axis either whole, once, or as the pair";
  expect_layout_refused([](auto x, auto) { return Layout{x}; }, "ax1", reason);
  expect_layout_refused([](auto x, auto y) { return Layout{x, y, x}; }, "ax0", reason);
  expect_layout_refused([](auto x, auto y) { return Layout{x, y / 8}; }, "ax1", reason);
  expect_layout_refused([](auto x, auto y) { return Layout{x, y / 8, y % 4}; }, "ax1", reason);
  expect_layout_refused([](auto x, auto y) { return Layout{x, y / 8, y % 8, y}; }, "ax1", reason);
}

TEST_F(TransformLayout, RefusesOtherStagesAndScheduledOnes) {
  expect_refused([&] { s.transform_layout(c, [](auto at) { return Layout{at[1], at[0]}; }); }, "transform_layout", "C",
                 "it is an output, whose layout is the caller's: give one to its cache instead");
  const Tensor tile = s.cache_write(c, ir::Scope::kLocal);
  expect_refused([&] { s.transform_layout(tile, [](auto at) { return Layout{at[1] / 4, at[0], at[1] % 4}; }); },
                 "transform_layout", "j", "only a copy made by cache_read has whole tiles");
  s[cache].unroll(s[cache].axis(0));
  expect_layout_refused([](auto x, auto y) { return Layout{y, x}; }, "B.cache", "it was scheduled already");
}

TEST_F(TransformLayout, RefusesASecondLayout) {
  s.transform_layout(cache, [](auto at) { return Layout{at[1], at[0]}; });
  expect_layout_refused([](auto x, auto y) { return Layout{x, y}; }, "B.cache", "it was scheduled already");
}

}  // namespace
}  // namespace nestwright
