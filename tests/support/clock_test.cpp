#include "support/base/clock.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/support/fake_clock.h"

namespace nestwright {
namespace {

TEST(SteadyClock, CountsNanoseconds) {
  const std::int64_t start = steady_clock().now_ns();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const std::int64_t passed = steady_clock().now_ns() - start;
  EXPECT_GE(passed, 5'000'000);
  EXPECT_LT(passed, 1'000'000'000);
}

TEST(FakeClock, MovesWhenTold) {
  FakeClock clock;
  EXPECT_EQ(clock.now_ns(), 0);
  clock.advance(5);
  EXPECT_EQ(clock.now_ns(), 5);
}

}  // namespace
}  // namespace nestwright
