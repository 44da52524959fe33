#include "search/stop_condition.h"

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
  EXPECT_FALSE(stop.interrupted());
  flag = true;
  EXPECT_EQ(stop.reason(0), "interrupted");
}

}  // namespace
}  // namespace nestwright
