#include "search/budget/expected_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nestwright {
namespace {

using ::testing::ElementsAre;

std::vector<double> times(const std::vector<double>& estimated, const std::vector<double>& best) {
  return expected_times(estimated, best);
}

TEST(ExpectedTimes, EstimatesAreCorrectedByWhatWasTimed) {
  EXPECT_THAT(times({10, 30, 5}, {0, 0, 0}), ElementsAre(10, 30, 5));
  EXPECT_THAT(times({10, 30, 5}, {40, 0, 0}), ElementsAre(40, 120, 20));
  EXPECT_THAT(times({10, 30, 5}, {40, 40, 0}), ElementsAre(40, 40, 10)) << "80 instead of 40";
  EXPECT_THAT(times({10, 30, 5}, {40, 40, 1}), ElementsAre(40, 40, 1));
  EXPECT_THAT(times({}, {}), ElementsAre());
}

}  // namespace
}  // namespace nestwright
