#include "nestwright/parallel_pool.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "nestwright/error.h"
#include "runtime/start_cost.h"

namespace nestwright {
namespace {

class EveryPool : public ::testing::TestWithParam<PoolKind> {};
INSTANTIATE_TEST_SUITE_P(Pools, EveryPool, ::testing::Values(PoolKind::kSerial, PoolKind::kTbb, PoolKind::kSpin),
                         [](const auto& pool) { return pool_name(pool.param); });

struct Counts {
  std::vector<std::atomic<int>> runs;    // of each task
  std::vector<std::atomic<int>> inside;  // tasks that are running with each thread number
  std::atomic<int> clashes{0};
  Counts(int tasks, int threads) : runs(static_cast<std::size_t>(tasks)), inside(static_cast<std::size_t>(threads)) {}
};

void count(std::int32_t task, std::int32_t thread, void* closure) {
  auto& counts = *static_cast<Counts*>(closure);
  if (counts.inside.at(static_cast<std::size_t>(thread)).fetch_add(1) != 0) ++counts.clashes;
  ++counts.runs.at(static_cast<std::size_t>(task));
  --counts.inside.at(static_cast<std::size_t>(thread));
}

void run(const ParallelPool& pool, int tasks, nestwright_body body, void* closure) {
  pool.abi()->run(pool.abi()->pool, tasks, body, closure);
}

TEST_P(EveryPool, RunsEachTaskOnceAndNoTwoOnOneThreadNumber) {
  const auto pool = make_pool(GetParam(), 3);
  for (int tasks : {0, 1, 2, 3, 4, 17, 1000}) {
    Counts counts(tasks, pool->threads());
    run(*pool, tasks, count, &counts);
    EXPECT_THAT(std::vector<int>(counts.runs.begin(), counts.runs.end()), ::testing::Each(1)) << tasks;
    EXPECT_EQ(counts.clashes, 0);
  }
}

TEST_P(EveryPool, SeesWhatTheCallerWroteAndTheOtherWayRound) {
  const auto pool = make_pool(GetParam(), 2);
  std::vector<int> values(64);
  for (int round = 0; round < 500; ++round) {
    values[0] = round;
    run(
        *pool, 64,
        [](std::int32_t task, std::int32_t, void* closure) {
          auto& v = *static_cast<std::vector<int>*>(closure);
          if (task != 0) v[static_cast<std::size_t>(task)] = v[0] + task;
        },
        &values);
    for (int i = 0; i < 64; ++i) ASSERT_EQ(values[static_cast<std::size_t>(i)], round + i);
  }
}

TEST_P(EveryPool, WakesUpAfterAPause) {
  const auto pool = make_pool(GetParam(), 2);
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    Counts counts(8, pool->threads());
    run(*pool, 8, count, &counts);
    EXPECT_THAT(std::vector<int>(counts.runs.begin(), counts.runs.end()), ::testing::Each(1));
  }
}

TEST(Pools, UseSeveralThreads) {
  for (PoolKind kind : {PoolKind::kTbb, PoolKind::kSpin}) {
    const auto pool = make_pool(kind, 2);
    // Each of two tasks waits for the other, so the loop ends only if both run at once.
    std::atomic<int> arrived{0};
    run(
        *pool, 2,
        [](std::int32_t, std::int32_t, void* closure) {
          auto& n = *static_cast<std::atomic<int>*>(closure);
          ++n;
          const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
          while (n < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
        },
        &arrived);
    EXPECT_EQ(arrived, 2);
    EXPECT_EQ(pool->threads(), 2);
  }
}

TEST(StartCost, IsThatOfALoopOnAllThreads) {
  const StartCost alone = measure_start_cost(PoolKind::kSerial, 1);
  EXPECT_GT(alone.hot_ns, 0);
  EXPECT_LT(alone.hot_ns, 1e5) << "a call, no thread to wait for";
  const StartCost together = measure_start_cost(PoolKind::kSpin, 2);
  EXPECT_GT(together.hot_ns, alone.hot_ns);
  EXPECT_GT(together.idle_ns, alone.idle_ns);
}

TEST(Pools, AreNamed) {
  for (PoolKind kind : {PoolKind::kSerial, PoolKind::kTbb, PoolKind::kSpin})
    EXPECT_EQ(parse_pool(pool_name(kind)), kind);
  try {
    parse_pool("openmp");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "unknown pool 'openmp': use serial, tbb or spin");
  }
  EXPECT_THROW(make_pool(PoolKind::kSpin, 0), UsageError);
}

}  // namespace
}  // namespace nestwright
