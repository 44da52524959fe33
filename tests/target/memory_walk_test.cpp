#include "target/measured/memory_walk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace nestwright {
namespace {

/// A clock whose readings advance by the given steps, cyclically.
class SteppedClock : public Clock {
 public:
  explicit SteppedClock(std::vector<std::int64_t> steps) : steps_(std::move(steps)) {}
  std::int64_t now_ns() override { return now_ += steps_[next_++ % steps_.size()]; }

 private:
  std::vector<std::int64_t> steps_;
  std::size_t next_ = 0;
  std::int64_t now_ = 0;
};

TEST(MemoryWalk, GivesTheTimeOfTheWholeWalk) {
  SteppedClock clock({0, 10, 10, 10, 10, 10, 10, 10, 10});
  EXPECT_EQ(MemoryWalk(clock).run(), 80);
}

TEST(MemoryWalk, AnInterruptionOfAPartDoesNotCount) {
  SteppedClock clock({0, 10, 10, 5'000'000, 10, 10, 10, 9'000'000, 10});
  EXPECT_EQ(MemoryWalk(clock).run(), 80);
}

TEST(MemoryWalk, WhatSlowsAllOfItDoes) {
  SteppedClock clock({0, 13, 12, 12, 13, 13, 12, 12, 13});
  EXPECT_EQ(MemoryWalk(clock).run(), 100);
}

// 512 dependent loads of 20 ns to 2 us each: if a cache answered them, or if they were issued at once, all of them
// would take less than 10 us.
TEST(MemoryWalk, WaitsForMemory) {
  MemoryWalk walk;
  std::vector<double> times;
  for (int i = 0; i < 21; ++i) times.push_back(walk.run());
  std::sort(times.begin(), times.end());
  EXPECT_GT(times.front(), 512 * 20.0);
  EXPECT_LT(times[10], 512 * 2000.0);
}

}  // namespace
}  // namespace nestwright
