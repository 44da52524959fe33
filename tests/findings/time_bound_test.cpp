#include "findings/time_bound.h"

#include <gmock/gmock.h>

#include "nestwright/error.h"

namespace nestwright {
namespace {

TEST(TimeBoundTest, ArithmeticBindsWhereItTakesMostOfTheTime) {
  const TimeBound bound = time_bound({8e6, 1e3}, 100e3, {100, 10, 0});
  EXPECT_EQ(bound.by, BoundBy::kArithmetic);
  EXPECT_DOUBLE_EQ(bound.share_of(bound.arithmetic_ns), 0.8);
  EXPECT_DOUBLE_EQ(bound.rest_ns(), 20e3);
  EXPECT_DOUBLE_EQ(bound.possible_speedup(), 1.25);
}

TEST(TimeBoundTest, BandwidthBindsWhereTrafficTakesMostOfTheTime) {
  const TimeBound bound = time_bound({1e3, 6e5}, 100e3, {100, 10, 0});
  EXPECT_EQ(bound.by, BoundBy::kBandwidth);
  EXPECT_DOUBLE_EQ(bound.traffic_ns, 60e3);
}

TEST(TimeBoundTest, LatencyBindsWhereNeitherDoes) {
  const TimeBound bound = time_bound({1e6, 1e5}, 100e3, {100, 10, 5e3});
  EXPECT_EQ(bound.by, BoundBy::kLatency);
  EXPECT_DOUBLE_EQ(bound.rest_ns(), 85e3);
  EXPECT_NEAR(bound.possible_speedup(), 100.0 / 15, 1e-9);
}

TEST(TimeBoundTest, TheBandwidthOfAFasterLevelDoesNotShowLatency) {
  EXPECT_EQ(time_bound({1e6, 1e5}, 100e3, {100, 10, 0, true}).by, BoundBy::kUnknown);
  EXPECT_EQ(time_bound({8e6, 1e5}, 100e3, {100, 10, 0, true}).by, BoundBy::kArithmetic);
  EXPECT_EQ(time_bound({1e6, 6e5}, 100e3, {100, 10, 0, true}).by, BoundBy::kBandwidth);
}

TEST(TimeBoundTest, NothingIsSaidWithoutRates) {
  const TimeBound bound = time_bound({1e6, 1e5}, 100e3, {});
  EXPECT_EQ(bound.by, BoundBy::kUnknown);
  EXPECT_EQ(bound.possible_speedup(), 0);
  EXPECT_STREQ(bound_name(bound.by), "unknown");
}

TEST(TimeBoundTest, ATimeBelowTheBoundIsNoSpeedup) {
  EXPECT_EQ(time_bound({2e7, 0}, 100e3, {100, 0, 0}).possible_speedup(), 1);
  EXPECT_THROW(time_bound({1, 1}, 0, {}), InternalError);
}

}  // namespace
}  // namespace nestwright
