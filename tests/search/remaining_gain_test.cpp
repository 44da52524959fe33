#include "search/budget/remaining_gain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace nestwright {
namespace {

using History = std::vector<Improvement>;

TEST(RemainingGain, NothingIsExpectedOfASearchThatHasStoodStill) {
  EXPECT_EQ(remaining_gain(History{}, 60, {}), 0);
  EXPECT_EQ(remaining_gain(History{{1, 3.0}, {5, 1.2}}, 60, {}), 0) << "before the last three doublings";
}

TEST(RemainingGain, TheLastDoublingsOfTheTimeCountTheLatestMost) {
  const double last = remaining_gain(History{{40, 1.1}}, 60, {}), before = remaining_gain(History{{20, 1.1}}, 60, {}),
               first = remaining_gain(History{{10, 1.1}}, 60, {});
  EXPECT_NEAR(std::log(1 + last), std::log(1.1) * 4 / 7, 1e-12);
  EXPECT_NEAR(std::log(1 + before), std::log(1.1) * 2 / 7, 1e-12);
  EXPECT_NEAR(std::log(1 + first), std::log(1.1) * 1 / 7, 1e-12);
}

TEST(RemainingGain, ASearchThatGainsAlikeInEachDoublingIsExpectedToGoOn) {
  EXPECT_NEAR(remaining_gain(History{{10, 1.1}, {20, 1.1}, {40, 1.1}}, 60, {}), 0.1, 1e-12);
}

TEST(RemainingGain, TheModelCountsAsMuchAsItRanks) {
  const History none;
  EXPECT_NEAR(remaining_gain(none, 60, {.predicted_gain = 0.2, .model_skill = 1.0}), 0.1, 1e-12);
  EXPECT_NEAR(remaining_gain(none, 60, {.predicted_gain = 0.2, .model_skill = 0.25}), 0.04, 1e-12);
  EXPECT_EQ(remaining_gain(none, 60, {.predicted_gain = 0.2}), 0) << "not audited";
}

TEST(RemainingGain, AModelThatSeesNothingBetterHalvesWhatTheHistorySays) {
  const History history{{10, 1.1}, {20, 1.1}, {40, 1.1}};
  EXPECT_NEAR(remaining_gain(history, 60, {.predicted_gain = -0.3, .model_skill = 1.0}), 0.05, 1e-12);
}

TEST(RemainingGain, NothingIsLeftAtTheRoofline) {
  const History history{{40, 1.5}};
  EXPECT_NEAR(remaining_gain(history, 60, {.roofline_share = 0.98}), 1 / 0.98 - 1, 1e-12);
  EXPECT_EQ(remaining_gain(history, 60, {.roofline_share = 1.0}), 0);
  EXPECT_EQ(remaining_gain(history, 60, {.roofline_share = 1.03}), 0) << "a peak that was measured too low";
  EXPECT_EQ(remaining_gain(history, 60, {.roofline_share = 0.1}), remaining_gain(history, 60, {}));
}

}  // namespace
}  // namespace nestwright
