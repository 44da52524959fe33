#include "bench/compare/summary.h"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "support/error.h"

namespace nestwright::bench {
namespace {

using testing::DoubleEq;
using testing::DoubleNear;

// 1000 x 1000 x 500 is 1e9 operations: 1e6 ns are 1000 GFLOP/s.
Comparison made_up(int threads, std::vector<double> ours, std::vector<double> theirs) {
  Comparison c{.problem = {1000, 1000, 500}, .threads = threads};
  c.peaks_gflops.assign(ours.size(), 2000);
  c.series = {{"Nestwright", "", std::move(ours)}, {"Rival", "", std::move(theirs)}};
  return c;
}

TEST(Summary, RatioIsOursOverTheirsRoundByRound) {
  // The clock halves after the first round: the ratios of the rounds do not see it.
  const Comparison c = made_up(1, {1e6, 2e6, 2e6, 2e6}, {1.1e6, 2.2e6, 2.2e6, 2.2e6});
  const Standing ours = standing(c, 0), theirs = standing(c, 1);
  EXPECT_THAT(ours.gflops, DoubleEq(500));
  EXPECT_THAT(ours.share_of_peak, DoubleEq(0.25));
  EXPECT_THAT(ours.ratio.median, DoubleEq(1));
  EXPECT_THAT(theirs.gflops, DoubleNear(1000 / 2.2, 1e-9));
  EXPECT_THAT(theirs.ratio.median, DoubleNear(1.1, 1e-12));
  EXPECT_THAT(theirs.ratio.low, DoubleNear(1.1, 1e-12));
  EXPECT_THAT(theirs.ratio.high, DoubleNear(1.1, 1e-12));
}

TEST(Summary, IntervalHoldsTheMedianAndShowsTheSpread) {
  std::vector<double> ours, theirs;
  for (int i = 0; i < 25; ++i) {
    ours.push_back(1e6);
    theirs.push_back(i % 2 == 0 ? 0.9e6 : 1.1e6);
  }
  const MedianInterval ratio = standing(made_up(1, ours, theirs), 1).ratio;
  EXPECT_LE(ratio.low, ratio.median);
  EXPECT_GE(ratio.high, ratio.median);
  EXPECT_THAT(ratio.low, DoubleNear(0.9, 1e-12));
  EXPECT_THAT(ratio.high, DoubleNear(1.1, 1e-12));
}

TEST(Summary, NoRoundsGiveZeros) {
  const Standing s = standing(made_up(2, {}, {}), 1);
  EXPECT_EQ(s.gflops, 0);
  EXPECT_EQ(s.ratio.median, 0);
}

TEST(Summary, RefusesAContestantThatMissedARound) {
  EXPECT_THROW(standing(made_up(1, {1e6, 1e6}, {1e6}), 1), InternalError);
}

TEST(Summary, Geomean) {
  EXPECT_EQ(geomean({}), 0);
  EXPECT_THAT(geomean(std::vector{0.5, 2.0}), DoubleNear(1, 1e-12));
  EXPECT_THAT(geomean(std::vector{1.0, 10.0, 100.0}), DoubleNear(10, 1e-9));
}

TEST(Summary, VerdictTellsThreadsApartAndNamesTheWorst) {
  const std::vector<Comparison> comparisons = {made_up(1, {1e6}, {2e6}), made_up(1, {1e6}, {0.5e6}),
                                               made_up(2, {1e6}, {0.25e6}), made_up(2, {}, {})};
  const Verdict v = verdict(comparisons, "Rival");
  EXPECT_THAT(v.one_thread, DoubleNear(1, 1e-12));
  EXPECT_THAT(v.two_threads, DoubleNear(0.25, 1e-12));
  EXPECT_THAT(v.overall, DoubleNear(std::cbrt(0.25), 1e-12));
  EXPECT_THAT(v.worst, DoubleNear(0.25, 1e-12));
  EXPECT_EQ(v.worst_where, "1000x1000x500, 2 threads");
  EXPECT_EQ(verdict(comparisons, "Nobody").overall, 0);
}

TEST(Summary, ARoundOfTwoThreadsCountsOnlyWhereTheyGotTwoCores) {
  const std::vector<Control> good = {{100, 195}, {100, 190}}, bad = {{100, 195}, {100, 189}}, nothing = {{0, 0}};
  const std::vector<Sample> waited = {{1e6, 0.5}};
  EXPECT_TRUE(round_counts(2, good, waited)) << "for its own colleague, that is";
  EXPECT_FALSE(round_counts(2, bad, {}));
  EXPECT_FALSE(round_counts(2, nothing, {}));
}

TEST(Summary, ARoundOfOneThreadCountsOnlyWhereAllHadACore) {
  const std::vector<Control> bad = {{100, 120}};
  const std::vector<Sample> all = {{1e6, 1.0}, {1e6, 0.97}}, not_all = {{1e6, 1.0}, {1e6, 0.96}};
  EXPECT_TRUE(round_counts(1, bad, all)) << "one thread needs one core";
  EXPECT_FALSE(round_counts(1, bad, not_all));
}

}  // namespace
}  // namespace nestwright::bench
