#include "search/trials/race_plan.h"

#include <gtest/gtest.h>

namespace nestwright {
namespace {

TEST(RacePlan, WithoutALimitSixTimesAsManyEnterThePreliminaryRace) {
  const RacePlan plan = plan_race({}, 1e6, 0, 4);
  EXPECT_EQ(plan.finalists, 4);
  EXPECT_EQ(plan.preliminary, 24);
}

TEST(RacePlan, BothRacesFitTheirSeconds) {
  for (const double kernel_ns : {0.0, 1e3, 1e6, 5e6}) {
    const RacePlan plan = plan_race({}, kernel_ns, 9, 4);
    EXPECT_EQ(plan.finalists, 4) << kernel_ns;
    EXPECT_GE(plan.preliminary, 8) << kernel_ns;
    EXPECT_LE(plan.seconds, 9) << kernel_ns;
    EXPECT_GT(plan.seconds, 1) << kernel_ns;
  }
}

TEST(RacePlan, FewerEnterWhereAKernelTakesLong) {
  int finalists = 8, preliminary = 48;
  for (const double kernel_ns : {1e6, 30e6, 300e6, 3e9}) {
    const RacePlan plan = plan_race({}, kernel_ns, 9, 8);
    EXPECT_LE(plan.finalists, finalists) << kernel_ns;
    EXPECT_LE(plan.preliminary, preliminary) << kernel_ns;
    finalists = plan.finalists;
    preliminary = plan.preliminary;
  }
  EXPECT_EQ(finalists, 1);
  EXPECT_EQ(preliminary, 0);
}

TEST(RacePlan, APreliminaryRaceThatWouldChooseNothingIsNotHeld) {
  // Starting its three processes takes 0.15 s.
  EXPECT_EQ(plan_race({}, 1e6, 0.3, 1).preliminary, 0);
  EXPECT_EQ(plan_race({}, 1e6, 0.3, 1).finalists, 1);
  const RacePlan none = plan_race({}, 1e6, 0, 0);
  EXPECT_EQ(none.finalists + none.preliminary, 0);
}

}  // namespace
}  // namespace nestwright
