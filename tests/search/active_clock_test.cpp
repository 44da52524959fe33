#include "search/budget/active_clock.h"

#include <gtest/gtest.h>

#include "tests/support/fake_clock.h"

namespace nestwright {
namespace {

TEST(ActiveClock, CountsOnlyWhatItsScopesLast) {
  FakeClock source;
  ActiveClock clock(source);
  source.advance(100);
  EXPECT_EQ(clock.now_ns(), 0);
  {
    const ActiveClock::Scope active(clock);
    source.advance(30);
    EXPECT_EQ(clock.now_ns(), 30);
  }
  source.advance(1000);
  EXPECT_EQ(clock.now_ns(), 30);
  const ActiveClock::Scope again(clock);
  source.advance(5);
  EXPECT_EQ(clock.now_ns(), 35);
}

}  // namespace
}  // namespace nestwright
