#include "search/propose/quota.h"

#include <gtest/gtest.h>

namespace nestwright {
namespace {

TEST(Quota, SharesHoldOnAverageForBatchesOfAnySize) {
  constexpr int kBatches = 4000;
  for (const double share : {0.1, 0.25, 0.5, 0.75, 0.9}) {
    for (int n = 1; n <= 64; ++n) {
      std::mt19937_64 random(static_cast<std::uint64_t>(n));
      double total = 0;
      for (int batch = 0; batch < kBatches; ++batch) {
        const int quota = draw_quota(share, n, random);
        EXPECT_GE(quota, static_cast<int>(share * n));
        EXPECT_LE(quota, static_cast<int>(share * n) + 1);
        total += quota;
      }
      EXPECT_NEAR(total / kBatches, share * n, 0.04) << share << " of " << n;  // 5 standard deviations
    }
  }
}

TEST(Quota, ItIsWithinTheBatch) {
  std::mt19937_64 random(1);
  EXPECT_EQ(draw_quota(1, 7, random), 7);
  EXPECT_EQ(draw_quota(0, 7, random), 0);
  EXPECT_EQ(draw_quota(0.5, 0, random), 0);
}

}  // namespace
}  // namespace nestwright
