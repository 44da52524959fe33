#include "findings/comparable_times.h"

#include <gmock/gmock.h>

#include "tests/findings/made_up_trials.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;

TEST(ComparableTimesTest, SessionsWithACommonAnchorHaveOneUnit) {
  MadeUpTrials trials;
  trials.add(1, "x=1", 100);
  trials.add(2, "x=2", 300);
  trials.fail(2, "x=3", Outcome::kCrash, "signal 11");
  // The machine was half as fast in session 2.
  const std::vector<ListedSession> sessions{made_up_session(1, 7, 1000), made_up_session(2, 7, 2000)};
  const ComparableTimes times = comparable_times(sessions, trials.columns());
  EXPECT_EQ(times.unit, 2);
  EXPECT_THAT(times.ns, ElementsAre(200, 300, 0));
  EXPECT_EQ(times.best, 0);
  EXPECT_FALSE(times.is_partial);
}

TEST(ComparableTimesTest, TheLargestGroupCounts) {
  MadeUpTrials trials;
  trials.add(1, "x=1", 10);
  trials.add(2, "x=2", 300);
  trials.add(2, "x=3", 200);
  const std::vector<ListedSession> sessions{made_up_session(1), made_up_session(2)};
  const ComparableTimes times = comparable_times(sessions, trials.columns());
  EXPECT_EQ(times.unit, 2);
  EXPECT_THAT(times.ns, ElementsAre(0, 300, 200));
  EXPECT_EQ(times.best, 2);
  EXPECT_TRUE(times.is_partial);
}

TEST(ComparableTimesTest, TheBestIsSound) {
  MadeUpTrials trials;
  trials.add(1, "x=1", 10, kIsVerified | kIsDisturbed);
  trials.add(1, "x=2", 20, kIsVerified | kEndedEarly);
  trials.add(1, "x=3", 30, kIsPart);
  trials.add(1, "x=4", 40);
  const std::vector<ListedSession> sessions{made_up_session(1)};
  EXPECT_EQ(comparable_times(sessions, trials.columns()).best, 3);
}

TEST(ComparableTimesTest, WithoutATimeThereIsNoUnit) {
  MadeUpTrials trials;
  trials.fail(1, "x=1", Outcome::kTimeout, "too slow");
  const std::vector<ListedSession> sessions{made_up_session(1)};
  const ComparableTimes times = comparable_times(sessions, trials.columns());
  EXPECT_EQ(times.unit, 0);
  EXPECT_EQ(times.best, 1);
}

}  // namespace
}  // namespace nestwright
