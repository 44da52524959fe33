#include "search/budget/stop_condition.h"

#include <gtest/gtest.h>

#include "tests/support/fake_clock.h"

namespace nestwright {
namespace {

TEST(StopCondition, CountsTrialsOfThisRun) {
  FakeClock clock;
  StopCondition stop({.trials = 2}, clock, nullptr);
  EXPECT_EQ(stop.allowed(16), 2);
  stop.count_trial(true);
  EXPECT_EQ(stop.reason(0), "");
  EXPECT_EQ(stop.allowed(16), 1);
  stop.count_trial(false);
  EXPECT_EQ(stop.reason(0), "2 trials done");
  EXPECT_EQ(stop.allowed(16), 0);
}

TEST(StopCondition, KeepsAReserveOfTheSeconds) {
  FakeClock clock;
  StopCondition stop({.seconds = 10}, clock, nullptr);
  clock.advance(8'900'000'000);
  EXPECT_EQ(stop.reason(1), "");
  clock.advance(200'000'000);
  EXPECT_EQ(stop.reason(1), "10 seconds are over");
}

TEST(StopCondition, EarlyStopForgetsWhenAnEarlierTrialIsTheBest) {
  FakeClock clock;
  StopCondition stop({.early_stop = 2}, clock, nullptr);
  stop.count_trial(false);
  stop.note_best();
  stop.count_trial(false);
  EXPECT_EQ(stop.reason(0), "");
}

TEST(StopCondition, EarlyStopForgetsWhenSomethingBetterComes) {
  FakeClock clock;
  StopCondition stop({.early_stop = 2}, clock, nullptr);
  stop.count_trial(false);
  stop.count_trial(true);
  stop.count_trial(false);
  EXPECT_EQ(stop.reason(0), "");
  stop.count_trial(false);
  EXPECT_EQ(stop.reason(0), "nothing better in 2 trials");
}

TEST(StopCondition, EndsWhereTheFirstTrialsAllFail) {
  FakeClock clock;
  StopCondition stop({}, clock, nullptr);
  for (int trial = 1; trial < StopCondition::kMaxFailures; ++trial) stop.count_trial(false);
  EXPECT_EQ(stop.reason(0), "");
  EXPECT_FALSE(stop.all_failed());
  stop.count_trial(false);
  EXPECT_EQ(stop.reason(0), "the first 64 trials all failed");
  EXPECT_TRUE(stop.all_failed());
}

TEST(StopCondition, FailuresDoNotEndARunThatKnowsSomethingRight) {
  FakeClock clock;
  StopCondition with_right({}, clock, nullptr), with_best({}, clock, nullptr);
  with_right.note_right();  // on a disturbed machine, so that it is no best
  with_best.note_best();    // of an earlier run
  for (int trial = 0; trial < 2 * StopCondition::kMaxFailures; ++trial) {
    with_right.count_trial(false);
    with_best.count_trial(false);
  }
  EXPECT_EQ(with_right.reason(0), "");
  EXPECT_EQ(with_best.reason(0), "");
}

TEST(StopCondition, LimitsCountFromWhenTheyAreSet) {
  FakeClock clock;
  StopCondition stop({}, clock, nullptr);
  clock.advance(5'000'000'000);
  stop.count_trial(true);
  stop.limit(2, 3);
  EXPECT_EQ(stop.allowed(16), 2);
  clock.advance(2'900'000'000);
  EXPECT_EQ(stop.reason(0), "");
  clock.advance(200'000'000);
  EXPECT_EQ(stop.reason(0), "8 seconds are over");
  stop.limit(0, 0);
  EXPECT_EQ(stop.reason(0), "");
  EXPECT_EQ(stop.allowed(16), 16);
}

TEST(StopCondition, TheInterruptFlagComesFirst) {
  FakeClock clock;
  std::atomic<bool> flag = false;
  StopCondition stop({.trials = 1}, clock, &flag);
  EXPECT_FALSE(stop.is_interrupted());
  flag = true;
  EXPECT_EQ(stop.reason(0), "interrupted");
}

/// A search of 10 s whose last gain, of 5%, came after 6 s: four sevenths of it are 2.8%.
struct Gaining {
  explicit Gaining(double until_gain, int trials = StopCondition::kMinTrials)
      : stop({.until_gain = until_gain}, clock, nullptr) {
    for (int i = 0; i < trials; ++i) stop.count_trial(i == 0);
    clock.advance(6'000'000'000);
    stop.note_improvement(1.05);
    clock.advance(4'000'000'000);
  }
  FakeClock clock;
  StopCondition stop;
};

TEST(StopCondition, EndsWhereTooLittleIsLeftToBeGained) {
  Gaining run(0.04);
  run.stop.set_outlook({});
  EXPECT_EQ(run.stop.reason(0), "as much time again is expected to gain 2.8%, less than 4%");
  Gaining patient(0.02);
  patient.stop.set_outlook({});
  EXPECT_EQ(patient.stop.reason(0), "");
  Gaining unlimited(0);
  unlimited.stop.set_outlook({.roofline_share = 1.0});
  EXPECT_EQ(unlimited.stop.reason(0), "");
}

TEST(StopCondition, TheRooflineEndsASearchThatStillGains) {
  Gaining run(0.01);
  run.stop.set_outlook({.roofline_share = 0.995});
  EXPECT_EQ(run.stop.reason(0), "as much time again is expected to gain 0.5%, less than 1%");
}

TEST(StopCondition, ItIsTooSoonToSayWhatIsLeftInTheFirstTrialsAndStartingPoints) {
  Gaining early(0.5, StopCondition::kMinTrials - 1);
  early.stop.set_outlook({});
  EXPECT_EQ(early.stop.reason(0), "");
  early.stop.count_trial(false);
  EXPECT_NE(early.stop.reason(0), "");
  early.stop.set_outlook({.has_starting_points = true});
  EXPECT_EQ(early.stop.reason(0), "");
  early.stop.set_outlook({.templates = 2});
  EXPECT_EQ(early.stop.reason(0), "") << "half as many of each template";
}

TEST(StopCondition, WithoutAnOutlookOrABestNoGainIsEstimated) {
  EXPECT_EQ(Gaining(0.5).stop.reason(0), "") << "no outlook";
  FakeClock clock;
  StopCondition stop({.until_gain = 0.5}, clock, nullptr);
  stop.note_right();
  for (int i = 0; i < 2 * StopCondition::kMinTrials; ++i) stop.count_trial(false);
  clock.advance(1'000'000'000);
  stop.set_outlook({});
  EXPECT_EQ(stop.reason(0), "") << "no time that counts yet";
}

}  // namespace
}  // namespace nestwright
