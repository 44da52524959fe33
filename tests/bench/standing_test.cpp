#include "bench/figures/report/standing.h"

#include <gtest/gtest.h>

#include <vector>

namespace nestwright::bench {
namespace {

TEST(StandingOfWinners, NearIsWithinThreePercent) {
  EXPECT_TRUE(is_near(1));
  EXPECT_TRUE(is_near(1.03));
  EXPECT_FALSE(is_near(1.031));
  EXPECT_FALSE(is_near(0)) << "it could not be timed";
}

TEST(StandingOfWinners, SplitByWhatTheDatabaseHolds) {
  const std::vector<double> found = {1.2, 1.01, 0}, none = {1.2, 0};
  EXPECT_EQ(standing_of(1.02, none), Standing::kNear);
  EXPECT_EQ(standing_of(1.10, found), Standing::kTimingMiss);
  EXPECT_EQ(standing_of(1.10, none), Standing::kSearchMiss);
  EXPECT_STREQ(name_of(Standing::kTimingMiss), "miss of timing");
}

TEST(StandingOfWinners, SteadyMeansNineOfTen) {
  std::vector<Standing> standings(10, Standing::kNear);
  standings[3] = Standing::kTimingMiss;
  EXPECT_TRUE(count(standings).is_steady());
  standings[4] = Standing::kSearchMiss;
  const StandingCounts counts = count(standings);
  EXPECT_EQ(counts.near, 8);
  EXPECT_EQ(counts.timing_misses, 1);
  EXPECT_EQ(counts.search_misses, 1);
  EXPECT_FALSE(counts.is_steady());
}

}  // namespace
}  // namespace nestwright::bench
