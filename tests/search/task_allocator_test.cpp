#include "search/budget/task_allocator.h"

#include <gtest/gtest.h>

#include <cmath>

namespace nestwright {
namespace {

TaskState searched(double seconds, std::vector<double> bests, double weight = 1) {
  TaskState task{.weight = weight, .trials = 100, .seeds = 10, .seconds = seconds};
  for (std::size_t i = 0; i < bests.size(); ++i) {
    task.turns.push_back({seconds - static_cast<double>(bests.size() - 1 - i), bests[i]});
  }
  return task;
}

TEST(TaskAllocator, EveryTaskGetsATurnAndThenItsSeeds) {
  std::vector<TaskState> tasks{searched(100, {100, 50}), {.trials = 3, .seeds = 10}, {.trials = 0, .seeds = 10}};
  EXPECT_EQ(next_task(tasks), 2u);
  tasks[2].trials = 3;
  EXPECT_EQ(next_task(tasks), 1u);
  tasks[1].trials = 10;
  tasks[1].seconds = 1e6;
  EXPECT_EQ(next_task(tasks), 2u);
  tasks[2].open = false;
  EXPECT_EQ(next_task(tasks), 0u);
}

TEST(TaskAllocator, SeedsOfATaskThatHardlyCountsWait) {
  const std::vector<TaskState> tasks{{.weight = 0.001, .trials = 3, .seeds = 10, .seconds = 2},
                                     searched(20, {100, 90, 80})};
  EXPECT_EQ(next_task(tasks), 1u);
}

TEST(TaskAllocator, PrefersWhatImprovesToWhatStandsStill) {
  const std::vector<TaskState> tasks{searched(20, {100, 100, 100, 100}), searched(20, {100, 90, 80, 70})};
  EXPECT_EQ(next_task(tasks), 1u);
}

TEST(TaskAllocator, PrefersTheOneThatHadLess) {
  const std::vector<TaskState> tasks{searched(20, {100, 100, 100}), searched(5, {100, 100, 100})};
  EXPECT_EQ(next_task(tasks), 1u);
}

TEST(TaskAllocator, APercentCountsAlikeInLongAndShortKernels) {
  EXPECT_DOUBLE_EQ(expected_gain(searched(20, {1e9, 9e8})), expected_gain(searched(20, {100, 90})));
}

TEST(TaskAllocator, WeightsMultiply) {
  EXPECT_DOUBLE_EQ(expected_gain(searched(20, {100, 90}, 3)), 3 * expected_gain(searched(20, {100, 90})));
  const std::vector<TaskState> tasks{searched(5, {100, 100}), searched(10, {100, 100}, 4)};
  EXPECT_EQ(next_task(tasks), 1u);
}

TEST(TaskAllocator, ThePastIsThatOfTheLastThreeTurns) {
  // Turns are a second apart: ln(80/70) over three seconds.
  EXPECT_NEAR(expected_gain(searched(20, {1000, 80, 80, 75, 70})), 0.2 * std::log(80.0 / 70) / 3 + 0.8 * 0.05 / 20,
              1e-12);
  // No gain is recorded before the first valid trial.
  EXPECT_NEAR(expected_gain(searched(20, {0, 0, 70})), 0.8 * 0.05 / 20, 1e-12);
}

TEST(TaskAllocator, NothingOpenIsNoAnswer) {
  TaskState over = searched(20, {100});
  over.open = false;
  EXPECT_FALSE(next_task(std::vector<TaskState>{over}));
  EXPECT_FALSE(next_task({}));
}

}  // namespace
}  // namespace nestwright
