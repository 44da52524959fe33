#include "bench/tuning_run.h"

#include <gtest/gtest.h>

#include <vector>

namespace nestwright::bench {
namespace {

TEST(TuningRun, TellsWhenTheFirstTrialWasNearTheFinalBest) {
  const std::vector<TimedTrial> trials = {{1, 200, true}, {2, 104.9, true}, {3, 120, true}, {4, 100, true}};
  EXPECT_EQ(seconds_to_within(trials, 0.05), 2);
  EXPECT_EQ(seconds_to_within(trials, 0.04), 4);
  EXPECT_EQ(seconds_to_within(trials, 1.0), 1);
}

TEST(TuningRun, TrialsThatCannotBeBestDoNotCount) {
  const std::vector<TimedTrial> trials = {{1, 0, false}, {2, 10, false}, {3, 100, true}};
  EXPECT_EQ(seconds_to_within(trials, 0.05), 3);
}

TEST(TuningRun, IsNegativeWhereNothingCounts) {
  EXPECT_LT(seconds_to_within({}, 0.05), 0);
  EXPECT_LT(seconds_to_within(std::vector<TimedTrial>{{1, 10, false}}, 0.05), 0);
}

}  // namespace
}  // namespace nestwright::bench
