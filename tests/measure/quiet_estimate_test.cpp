#include "measure/race/quiet_estimate.h"

#include <gtest/gtest.h>

#include <random>

namespace nestwright {
namespace {

/// Readings of a kernel of 100 ns beside a busy process: of each, with probability `busy`, a part is lost to it.
std::vector<double> readings_beside(double busy, int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::normal_distribution<double> noise(0, 1);
  std::vector<double> readings;
  for (int i = 0; i < count; ++i) {
    const double lost = uniform(random) < busy ? 100 * (0.1 + 1.4 * uniform(random)) : 0;
    readings.push_back(100 + noise(random) + lost);
  }
  return readings;
}

TEST(QuietEstimate, IsNearTheQuietTimeWhereMostReadingsAreDisturbed) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const MedianInterval quiet = quiet_estimate(readings_beside(0.8, 40, seed));
    EXPECT_NEAR(quiet.median, 100, 15) << seed;
    EXPECT_LE(quiet.low, 100) << seed;
    EXPECT_GE(quiet.high, 100) << seed;
  }
}

TEST(QuietEstimate, RangeGrowsWithTheDisturbance) {
  const MedianInterval little = quiet_estimate(readings_beside(0.2, 40, 1));
  const MedianInterval much = quiet_estimate(readings_beside(0.9, 40, 1));
  EXPECT_LT(little.high, 110);
  EXPECT_GT(much.high, 130);
}

TEST(QuietEstimate, OfAnUnracedTimingIsTheLowerFifthOfItsReadings) {
  Timing timing;
  timing.median_ns = 5;
  timing.low_ns = 4.9;
  timing.high_ns = 5.1;
  timing.raw_ns = {12, 10, 11, 13, 20, 14};
  estimate_unraced_time(timing);
  EXPECT_EQ(timing.median_ns, 11);
  EXPECT_EQ(timing.low_ns, 4.9) << "of the score";
  EXPECT_DOUBLE_EQ(timing.high_ns, 1.03 * 13);
  timing.low_ns = 9.5;
  estimate_unraced_time(timing);
  EXPECT_EQ(timing.low_ns, 9);
  timing.median_ns = 5;
  timing.disturbance = "a neighbour";
  estimate_unraced_time(timing);
  EXPECT_EQ(timing.median_ns, 5);
}

TEST(QuietEstimate, LeavesSoundTimingsAlone) {
  Timing timing;
  timing.median_ns = 5;
  timing.raw_ns = {3, 4, 9};
  estimate_quiet_time(timing);
  EXPECT_EQ(timing.median_ns, 5);
  timing.disturbance = "a neighbour";
  estimate_quiet_time(timing);
  EXPECT_EQ(timing.median_ns, 3);
  EXPECT_EQ(timing.high_ns, 4);
  EXPECT_DOUBLE_EQ(timing.low_ns, 2.7);
}

}  // namespace
}  // namespace nestwright
