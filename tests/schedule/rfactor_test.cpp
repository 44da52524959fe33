// rfactor: partial results of a reduction.
#include <algorithm>
#include <limits>
#include <map>

#include "matmul_fixture.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

class Rfactor : public MatmulSchedule {};

TEST_F(Rfactor, MakesAStageOfPartialResults) {
  const auto [k0, k1] = s[c].split(k, factor(4));
  s[c].unroll(k0);
  const Tensor partial = s.rfactor(c, k1);
  EXPECT_EQ(partial.name(), "C.rf");
  EXPECT_EQ(index(partial), 0);
  EXPECT_EQ(loops(partial), (std::vector<std::string>{"k.inner", "i", "j", "k.outer"}));
  EXPECT_EQ(loops(c), (std::vector<std::string>{"i", "j", "k.inner.v"}));
  EXPECT_FALSE(s[partial].axis(0).is_reduce());
  EXPECT_TRUE(s[partial].reduce_axis(0).is_reduce());
  EXPECT_EQ(extent(s[partial].axis(0)), 4);
  EXPECT_EQ(extent(s[c].reduce_axis(0)), 4);
  EXPECT_EQ(stage(partial).kinds.at(s[partial].reduce_axis(0)), ir::LoopKind::kUnrolled);
  EXPECT_EQ(s.trace().steps().back(), (TraceStep{"rfactor", {"C.4", "axis=0"}}));
  s[partial].vectorize(s[partial].axis(0));  // a former reduce axis
}

TEST_F(Rfactor, PutsTheAxisWhereItIsWanted) {
  const auto [k0, k1] = s[c].split(k, factor(4));
  const Tensor partial = s.rfactor(c, k0, 2);
  EXPECT_EQ(loops(partial), (std::vector<std::string>{"i", "j", "k.outer", "k.inner"}));
  Schedule again = create_schedule(c);
  Trace::parse(s.trace().str()).replay(again);
  EXPECT_EQ(again.str(), s.str());
}

TEST_F(Rfactor, MakesPartialResultsOfTheIterationsThatASplitLeaves) {
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  const IterVar twelve = reduce_axis(12, "k");
  const Tensor t = compute({1}, [&](Expr) { return sum(cast(kFloat32, twelve), twelve); }, "T");
  for (const auto& [by, made] :
       std::map<std::int64_t, std::int64_t>{{8, 8}, {14, 14}, {16, 16}, {100, 16}, {kHuge, 16}}) {
    Schedule inner = create_schedule(t), outer = create_schedule(t);
    const Tensor of_inner = inner.rfactor(t, inner[t].split(twelve, factor(by)).second);
    EXPECT_EQ(extent(inner[of_inner].axis(0)), made) << by;
    EXPECT_EQ(extent(inner[t].reduce_axis(0)), made) << by;
    const Tensor of_outer = outer.rfactor(t, outer[t].split(twelve, factor(by)).first);
    EXPECT_EQ(extent(outer[of_outer].axis(0)), by == 8 ? 2 : 1) << by;
    EXPECT_EQ(extent(outer[of_outer].reduce_axis(0)), std::min<std::int64_t>(by, 12)) << by;
  }
}

TEST_F(Rfactor, RefusesPartialResultsThatNoMemoryHolds) {
  const IterVar far = reduce_axis(std::int64_t{1} << 49, "k");
  const Tensor t = compute({1}, [&](Expr) { return sum(cast(kFloat32, far), far); }, "T");
  Schedule own = create_schedule(t);
  const std::string before = own.str();
  EXPECT_EQ(message<ScheduleError>([&] { own.rfactor(t, far); }),
            "rfactor of k: its partial results, T.rf, would be larger than any address space: split it and use rfactor "
            "on a shorter loop");
  EXPECT_EQ(own.str(), before);
}

TEST_F(Rfactor, RefusesWhatIsNoLoopOfTheReduction) {
  expect_refused([&] { s.rfactor(c, i); }, "rfactor", "i", "it is no loop of the reduction of C: name one of those");
  expect_refused([&] { s.rfactor(c, k, 3); }, "rfactor", "k", "axis 3 is no position among the 2 axes of C");
  expect_refused([&] { s.rfactor(c, k, -1); }, "rfactor", "k", "axis -1 is no position");
  const Tensor cache = s.cache_read(b, ir::Scope::kLocal, {c});
  expect_refused([&] { s.rfactor(cache, s[cache].axis(0)); }, "rfactor", "B.cache", "it is no reduction");
  s[cache].compute_at(s[c], k);
  expect_refused([&] { s.rfactor(c, k); }, "rfactor", "k", "B.cache is computed there: attach it afterwards");
}

TEST_F(Rfactor, RefusesALoopThatIsAnnotatedOrReplaced) {
  const auto [k0, k1] = s[c].split(k, factor(4));
  expect_refused([&] { s.rfactor(c, k); }, "rfactor", "k", "it was replaced by other loops of C");
  s[c].unroll(k1);
  expect_refused([&] { s.rfactor(c, k1); }, "rfactor", "k.inner",
                 "it is unrolled already: do that to the resulting loop instead");
  s[c].pragma(k0, "auto_unroll", 4);
  expect_refused([&] { s.rfactor(c, k0); }, "rfactor", "k.outer", "it has pragma auto_unroll: give it afterwards");
}

TEST_F(Rfactor, RefusesPrefetchesComposedSplitsAndBlocks) {
  s[c].prefetch(a, j, 1);
  expect_refused([&] { s.rfactor(c, k); }, "rfactor", "C",
                 "it prefetches what its partial results will read: prefetch afterwards");
  s = create_schedule(c);
  const auto [k0, k1] = s[c].split(k, factor(14), Tail::compose({14, 4}));
  expect_refused([&] { s.rfactor(c, k1); }, "rfactor", "k.outer",
                 "its split is composed: split the reduction with another tail");
  s = create_schedule(c);
  const auto [b0, b1] = s[c].split(k, factor(8));
  const Tensor tile = s.cache_write(c, ir::Scope::kLocal, b0);
  expect_refused([&] { s.rfactor(tile, b1); }, "rfactor", "C.tile",
                 "it is part of a blocked reduction: rfactor comes before cache_write");
}

}  // namespace
}  // namespace nestwright
