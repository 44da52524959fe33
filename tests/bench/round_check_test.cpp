#include "bench/comparison/timing/round_check.h"

#include <gtest/gtest.h>

#include <vector>

namespace nestwright::bench {
namespace {

TEST(RoundCheck, ARoundOfTwoThreadsCountsOnlyWhereTheyGotTwoCores) {
  const std::vector<Control> good = {{2, 100, 195}, {2, 100, 190}}, bad = {{2, 100, 195}, {2, 100, 189}},
                             nothing = {{2, 0, 0}};
  const std::vector<Sample> waited = {{1e6, 0.5}};
  EXPECT_TRUE(round_counts(2, good, waited)) << "for its own colleague, that is";
  EXPECT_FALSE(round_counts(2, bad, {}));
  EXPECT_FALSE(round_counts(2, nothing, {}));
}

TEST(RoundCheck, MoreThreadsMustScaleAsWell) {
  const std::vector<Control> good = {{8, 100, 761}}, bad = {{8, 100, 759}};
  EXPECT_TRUE(round_counts(8, good, {}));
  EXPECT_FALSE(round_counts(8, bad, {}));
}

TEST(RoundCheck, ARoundOfOneThreadCountsOnlyWhereAllHadACore) {
  const std::vector<Control> bad = {{1, 100, 100}};
  const std::vector<Sample> all = {{1e6, 1.0}, {1e6, 0.97}}, not_all = {{1e6, 1.0}, {1e6, 0.96}};
  EXPECT_TRUE(round_counts(1, bad, all));
  EXPECT_FALSE(round_counts(1, bad, not_all));
}

}  // namespace
}  // namespace nestwright::bench
