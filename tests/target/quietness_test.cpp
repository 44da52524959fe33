#include "target/measured/quietness.h"

#include <gtest/gtest.h>

#include <thread>

namespace nestwright {
namespace {

TEST(Quietness, NamesWhatIsAboveItsLimit) {
  EXPECT_EQ(Quietness{}.disturbance(), "");
  EXPECT_EQ((Quietness{.fma_spread = kMaxFmaSpread,
                       .shared_share = kMaxSharedShare,
                       .walk_spread = kMaxWalkSpread,
                       .wait_share = kMaxWaitShare,
                       .steal_share = kMaxStealShare})
                .disturbance(),
            "")
      << "a limit may be reached";
  EXPECT_EQ(Quietness{.fma_spread = 0.124}.disturbance(), "the FMA loop spreads by 12.4% (limit 5.0%)");
  EXPECT_EQ(Quietness{.shared_share = 0.68}.disturbance(),
            "another hyper-thread shared a core for 68.0% (limit 10.0%)");
  EXPECT_EQ(Quietness{.walk_spread = 0.5}.disturbance(), "the memory walk spreads by 50.0% (limit 30.0%)");
  EXPECT_EQ((Quietness{.wait_share = 0.25, .steal_share = 0.02}).disturbance(),
            "other processes had the cores for 25.0% (limit 0.5%), the host withheld the cores for 2.0% (limit 1.0%)");
}

TEST(Quietness, IsMeasuredInTheTimeGiven) {
  const Quietness found = measure_quietness(0.1, 2);
  EXPECT_GE(found.seconds, 0.1);
  EXPECT_LT(found.seconds, 2);
  EXPECT_GT(found.fma_spread, 0) << "no two thousand loops take the same time";
  EXPECT_GE(found.shared_share, 0);
  EXPECT_LE(found.shared_share, 0.95) << "the fastest twentieth has the core for itself";
  EXPECT_GT(found.walk_spread, 0);
  EXPECT_GE(found.wait_share, 0);
  EXPECT_LE(found.wait_share, 1);
  EXPECT_GE(found.steal_share, 0);
}

// Four threads per core: each of them waits three quarters of the time.
TEST(Quietness, SeesThreadsWaitForCores) {
  const int threads = 4 * static_cast<int>(std::thread::hardware_concurrency());
  const Quietness found = measure_quietness(0.3, threads);
  EXPECT_GT(found.wait_share, 0.3);
  EXPECT_NE(found.disturbance(), "");
}

}  // namespace
}  // namespace nestwright
