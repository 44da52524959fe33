#include "bench/comparison/results/summary.h"

#include <gmock/gmock.h>

#include <cmath>

#include "nestwright/error.h"
#include "tests/bench/synthetic.h"

namespace nestwright::bench {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Series ours(std::vector<double> times) { return {"Nestwright", "", false, std::move(times)}; }
Series library(const char* name, std::vector<double> times) { return {name, "", false, std::move(times)}; }

TEST(Summary, RatioIsOursOverTheirsRoundByRound) {
  // The clock halves after the first round, which does not affect the ratios within the rounds.
  const Comparison c = synthetic("a", {ours({1e6, 2e6, 2e6, 2e6}), library("Rival", {1.1e6, 2.2e6, 2.2e6, 2.2e6})});
  const SeriesSpeed us = speed_of(c, 0), they = speed_of(c, 1);
  EXPECT_THAT(us.gflops, DoubleEq(500));
  EXPECT_THAT(us.gb_s, DoubleEq(5));
  EXPECT_THAT(us.ratio.median, DoubleEq(1));
  EXPECT_THAT(they.gflops, DoubleNear(1000 / 2.2, 1e-9));
  EXPECT_THAT(they.ratio.median, DoubleNear(1.1, 1e-12));
  EXPECT_THAT(they.ratio.low, DoubleNear(1.1, 1e-12));
  EXPECT_THAT(they.ratio.high, DoubleNear(1.1, 1e-12));
}

TEST(Summary, IntervalHoldsTheMedianAndShowsTheSpread) {
  std::vector<double> us, they;
  for (int i = 0; i < 25; ++i) {
    us.push_back(1e6);
    they.push_back(0.9e6 + 0.2e6 * i / 24);
  }
  const MedianInterval ratio = speed_of(synthetic("a", {ours(us), library("Rival", they)}), 1).ratio;
  EXPECT_LE(ratio.low, ratio.median);
  EXPECT_GE(ratio.high, ratio.median);
  EXPECT_THAT(ratio.median, DoubleNear(1, 0.002));
  EXPECT_THAT(ratio.high - ratio.low, DoubleNear(0.05, 0.01)) << "of 25 values between 0.9 and 1.1";
}

TEST(Summary, WhereOneOfTheTwoDidNotRunThereIsNoRatio) {
  const Comparison without_us = synthetic("a", {ours({}), library("Rival", {1e6})});
  EXPECT_THAT(speed_of(without_us, 1).gflops, DoubleEq(1000));
  EXPECT_EQ(speed_of(without_us, 1).ratio.median, 0);
  const Comparison without_them = synthetic("a", {ours({1e6}), library("Rival", {})});
  EXPECT_EQ(speed_of(without_them, 1).gflops, 0);
  EXPECT_EQ(speed_of(without_them, 1).ratio.median, 0);
}

TEST(Summary, RefusesAContestantThatMissedARound) {
  EXPECT_THROW(speed_of(synthetic("a", {ours({1e6, 1e6}), library("Rival", {1e6})}), 1), InternalError);
}

TEST(Summary, BestLibraryHasTheLeastMedianAndIsNeverUs) {
  const Comparison c = synthetic("a", {ours({1, 1, 1}), library("Slow", {9, 9, 9}), library("Absent", {}),
                                       library("Fast", {3, 3, 30}), library("Middle", {4, 2, 4})});
  ASSERT_TRUE(best_library(c).has_value());
  EXPECT_EQ(c.series[*best_library(c)].name, "Fast");
  EXPECT_FALSE(best_library(synthetic("a", {ours({1}), library("Absent", {})})).has_value());
}

TEST(Summary, Geomean) {
  EXPECT_EQ(geomean({}), 0);
  EXPECT_THAT(geomean(std::vector{0.5, 2.0}), DoubleNear(1, 1e-12));
  EXPECT_THAT(geomean(std::vector{1.0, 10.0, 100.0}), DoubleNear(10, 1e-9));
}

// Ratios over X: 2, 0.5, none; over Y: 1.5, none, none; over the best: 1.5 (Y), 0.5 (X), none.
std::vector<Comparison> three() {
  return {synthetic("first", {ours({1e6}), library("X", {2e6}), library("Y", {1.5e6})}),
          synthetic("second", {ours({1e6}), library("X", {0.5e6})}),
          synthetic("third", {ours({1e6}), library("X", {}), library("Y", {})})};
}

TEST(Summary, VerdictOverOneLibrary) {
  const RivalSummary v = summary_over(three(), "X");
  EXPECT_EQ(v.shapes, 2);
  EXPECT_THAT(v.geomean, DoubleNear(1, 1e-12));
  EXPECT_THAT(v.worst.median, DoubleNear(0.5, 1e-12));
  EXPECT_EQ(v.worst_label, "second");
  EXPECT_THAT(v.lost, ElementsAre("second"));
  EXPECT_EQ(summary_over(three(), "Nobody").shapes, 0);
  EXPECT_EQ(summary_over(three(), "Nobody").geomean, 0);
}

TEST(Summary, VerdictOverTheBestOfEachShape) {
  const RivalSummary v = summary_over_best(three());
  EXPECT_EQ(v.rival, "the best");
  EXPECT_EQ(v.shapes, 2);
  EXPECT_THAT(v.geomean, DoubleNear(std::sqrt(0.75), 1e-12));
  EXPECT_EQ(v.worst_label, "second");
}

TEST(Summary, AShapeIsLostWhereItsWholeIntervalIsBelow) {
  const std::vector<double> one(8, 1e6);
  const std::vector<double> clearly(8, 0.96e6), barely(8, 0.975e6);
  const std::vector<double> uncertain = {0.9e6, 0.95e6, 1.1e6, 0.9e6, 0.95e6, 1.1e6, 0.9e6, 1.1e6};
  const std::vector<Comparison> list = {synthetic("clearly", {ours(one), library("X", clearly)}),
                                        synthetic("barely", {ours(one), library("X", barely)}),
                                        synthetic("uncertain", {ours(one), library("X", uncertain)})};
  EXPECT_THAT(summary_over(list, "X").lost, ElementsAre("clearly"));
  EXPECT_THAT(summary_over(list, "Nobody").lost, IsEmpty());
}

TEST(Summary, SharesOfWhatBindsAreOurs) {
  // The roof is 0.5e6 ns.
  const std::vector<Comparison> list = {synthetic("half", {ours({1e6}), library("X", {0.5e6})}),
                                        synthetic("eighth", {ours({4e6})}), synthetic("none", {ours({})})};
  const ShareSummary s = share_summary(list);
  EXPECT_EQ(s.shapes, 2);
  EXPECT_THAT(s.geomean, DoubleNear(0.25, 1e-12));
  EXPECT_THAT(s.worst, DoubleNear(0.125, 1e-12));
  EXPECT_EQ(s.worst_label, "eighth");
}

}  // namespace
}  // namespace nestwright::bench
