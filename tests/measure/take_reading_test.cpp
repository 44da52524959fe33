#include "measure/race/take_reading.h"

#include <gmock/gmock.h>

#include "tests/support/fake_clock.h"

namespace nestwright {
namespace {

using ::testing::SizeIs;

CpuUsage no_usage() { return {}; }

double no_sentinel() { return 0; }

/// A sentinel that runs `loop`, which advances the clock.
Sentinel timed(FakeClock& clock, const std::function<void()>& loop) {
  return [&clock, loop] { return time_once(clock, loop); };
}

TEST(TakeReading, ASentinelThatWasColdOrInterruptedDoesNotCount) {
  FakeClock clock;
  int runs = 0;
  const auto cold_at_first = [&] { clock.advance(runs++ % 3 == 0 ? 29 : runs % 3 == 2 ? 25 : 90); };
  const Reading reading = take_reading(clock, no_usage, {}, [&] { clock.advance(100); }, timed(clock, cold_at_first));
  EXPECT_EQ(reading.fma_ns, 25);
  EXPECT_EQ(runs, 6);
}

TEST(TakeReading, TheFirstSentinelWaitsForThreadsThatSleep) {
  FakeClock clock;
  int runs = 0;
  const auto alone_at_first = [&] { clock.advance(++runs <= 4 ? 50 : 25); };
  const ReadingPlan plan{1, false, 250};
  EXPECT_EQ(take_reading(clock, no_usage, plan, [] {}, timed(clock, alone_at_first)).fma_ns, 25);
  EXPECT_EQ(runs, 6 + 3) << "200 + 2*25 before the calls";
}

TEST(TakeReading, TheSlowerOfTheSentinelsBeforeAndAfterCounts) {
  FakeClock clock;
  int runs = 0;
  const auto slow_before = [&] { clock.advance(runs++ < 3 ? 40 : 25); };
  EXPECT_EQ(take_reading(clock, no_usage, {}, [] {}, timed(clock, slow_before)).fma_ns, 40);
  runs = 0;
  const auto slow_after = [&] { clock.advance(runs++ < 3 ? 25 : 40); };
  EXPECT_EQ(take_reading(clock, no_usage, {}, [] {}, timed(clock, slow_after)).fma_ns, 40);
}

TEST(TakeReading, ReadsTheClockAroundTheCallsOnly) {
  FakeClock clock;
  std::vector<int> order;
  const auto call = [&] { clock.advance(order.size() == 3 ? 1000 : 100), order.push_back(1); };
  const auto sentinel = [&] { clock.advance(25), order.push_back(0); };
  const Reading reading = take_reading(clock, no_usage, {4, true}, call, timed(clock, sentinel));
  EXPECT_EQ(reading.ns, 400) << "without the untimed call, which follows the sentinel and takes 1000";
  EXPECT_EQ(order, (std::vector<int>{0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0}));
  order.clear();
  take_reading(clock, no_usage, {1, false}, call, timed(clock, sentinel));
  EXPECT_THAT(order, SizeIs(7));
}

TEST(TakeReading, ShortKernelsAreCalledUntilTheirThreadsAreAwake) {
  FakeClock clock;
  int calls = 0;
  const auto call = [&] { clock.advance(++calls <= 2 ? 300 : 100); };
  const auto sentinel = [&] { clock.advance(25); };
  EXPECT_EQ(take_reading(clock, no_usage, {4, true, 750}, call, timed(clock, sentinel)).ns, 400);
  EXPECT_EQ(calls, 4 + 4) << "two slow calls and two others take 800";
  calls = 0;
  EXPECT_EQ(take_reading(clock, no_usage, {4, false, 750}, call, timed(clock, sentinel)).ns, 800)
      << "without an untimed call";
}

TEST(TakeReading, WorkBeforeEachCallIsNotTimed) {
  FakeClock clock;
  CpuUsage used;
  std::vector<int> order;
  ReadingPlan plan{3, true};
  plan.before_call = [&] { clock.advance(70), used.cpu_ns += 70, order.push_back(0); };
  const auto call = [&] { clock.advance(100), used.cpu_ns += 100, order.push_back(1); };
  const Reading reading =
      take_reading(clock, [&] { return used; }, plan, call, timed(clock, [&] { clock.advance(25); }));
  EXPECT_EQ(reading.ns, 300);
  EXPECT_EQ(reading.span_ns, 510);
  EXPECT_EQ(reading.cpu_ns, 510) << "of the span";
  EXPECT_EQ(order, (std::vector<int>{0, 1, 0, 1, 0, 1, 0, 1})) << "before the untimed call, too";
  EXPECT_EQ(take_reading(clock, no_usage, {3}, call, no_sentinel).span_ns, 0);
}

TEST(TakeReading, OfCallsWithLongUntimedWorkFewAreMade) {
  FakeClock clock;
  int calls = 0;
  ReadingPlan plan{1000};
  plan.before_call = [&] { clock.advance(3'000'000); };
  const Reading reading = take_reading(clock, no_usage, plan, [&] { clock.advance(1000), ++calls; }, no_sentinel);
  EXPECT_EQ(calls, 4) << "more than ten milliseconds";
  EXPECT_EQ(reading.ns, 1000 * 1000) << "of the thousand that were asked for";
  EXPECT_EQ(reading.span_ns, 4 * 3'001'000);
}

TEST(TakeReading, AccountsForTheCallsOnly) {
  FakeClock clock;
  CpuUsage used;
  const auto usage = [&] { return used; };
  const auto call = [&] { used.cpu_ns += 100, used.wait_ns += 10, ++used.involuntary_switches; };
  const auto sentinel = [&] { used.cpu_ns += 1e6, used.wait_ns += 1e6, ++used.involuntary_switches; };
  const Reading reading = take_reading(clock, usage, {3, true}, call, timed(clock, sentinel));
  EXPECT_EQ(reading.cpu_ns, 300);
  EXPECT_EQ(reading.queue_ns, 30);
  EXPECT_EQ(reading.involuntary_switches, 3);
}

}  // namespace
}  // namespace nestwright
