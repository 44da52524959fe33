#include "bench/support/timed_trials.h"

#include <gtest/gtest.h>

#include <vector>

namespace nestwright::bench {
namespace {

TEST(TimedTrials, TellsWhenTheFirstTrialWasNearTheFinalBest) {
  const std::vector<TimedTrial> trials = {{1, 200, true}, {2, 104.9, true}, {3, 120, true}, {4, 100, true}};
  EXPECT_EQ(seconds_to_within(trials, 0.05), 2);
  EXPECT_EQ(seconds_to_within(trials, 0.04), 4);
  EXPECT_EQ(seconds_to_within(trials, 1.0), 1);
}

TEST(TimedTrials, TrialsThatCannotBeBestDoNotCount) {
  const std::vector<TimedTrial> trials = {{1, 0, false}, {2, 10, false}, {3, 100, true}};
  EXPECT_EQ(seconds_to_within(trials, 0.05), 3);
}

TEST(TimedTrials, IsNegativeWhereNothingCounts) {
  EXPECT_LT(seconds_to_within({}, 0.05), 0);
  EXPECT_LT(seconds_to_within(std::vector<TimedTrial>{{1, 10, false}}, 0.05), 0);
}

TEST(TimedTrials, TrialsToAShareOfTheKnownBest) {
  const std::vector<TimedTrial> trials{{0, 200, true}, {0, 100, false}, {0, 106, true}, {0, 104, true}};
  EXPECT_EQ(best_ns(trials), 104);
  EXPECT_EQ(trials_to_share(trials, 100, 0.5), 1);
  EXPECT_EQ(trials_to_share(trials, 100, 0.95), 4) << "100 / 106 is less, and what does not count is no answer";
  EXPECT_FALSE(trials_to_share(trials, 90, 0.95));
}

TEST(TimedTrials, RunsThatNeverReachItCountAsTheLast) {
  EXPECT_EQ(median_reached({9, std::nullopt, 3}), 9);
  EXPECT_EQ(median_reached({4, 2}), 3);
  EXPECT_FALSE(median_reached({4, std::nullopt}));
  EXPECT_FALSE(median_reached({std::nullopt, std::nullopt, 3}));
}

}  // namespace
}  // namespace nestwright::bench
