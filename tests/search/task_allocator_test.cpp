#include "search/budget/task_allocator.h"

#include <gtest/gtest.h>

#include <cmath>

namespace nestwright {
namespace {

/// A task whose starting points were tried, with turns of a second each.
TaskState searched(double seconds, std::vector<double> bests, double weight = 1) {
  TaskState task{.weight = weight, .trials = 100, .has_starting_points = false, .seconds = seconds};
  for (std::size_t i = 0; i < bests.size(); ++i) {
    task.turns.push_back({seconds - static_cast<double>(bests.size() - 1 - i), bests[i]});
  }
  return task;
}

TaskState at_share(double share, TaskState task = searched(20, {100, 100})) {
  task.roofline_share = share;
  return task;
}

TEST(TaskAllocator, ATurnForEachTheHeaviestFirst) {
  std::vector<TaskState> tasks{searched(1, {100, 50}, 100), {.weight = 1}, {.weight = 3}, {.weight = 3}};
  EXPECT_EQ(next_task(tasks), 2u) << "the first one in a tie";
  tasks[2].trials = 1;
  EXPECT_EQ(next_task(tasks), 3u);
  tasks[3].trials = 1;
  EXPECT_EQ(next_task(tasks), 1u);
}

TEST(TaskAllocator, StartingPointsOfAllTasksComeBeforeTheSearch) {
  std::vector<TaskState> tasks{searched(1, {100, 50}, 8), {.weight = 1, .trials = 16}, {.weight = 2, .trials = 16}};
  EXPECT_EQ(next_task(tasks), 2u);
  tasks[2].seconds = 3;
  EXPECT_EQ(next_task(tasks), 1u) << "which had less of the time for its weight";
  tasks[2].has_starting_points = false;
  EXPECT_EQ(next_task(tasks), 1u);
  tasks[1].open = false;
  EXPECT_EQ(next_task(tasks), 0u);
}

TEST(TaskAllocator, StartingPointsOfATaskThatHardlyCountsWaitAfterTheFirstTurn) {
  std::vector<TaskState> tasks{{.weight = 0.5 * kMinShare, .trials = 16, .seconds = 2}, searched(20, {100, 100})};
  EXPECT_EQ(next_task(tasks), 1u);
  tasks[1].seconds = 1e6;
  EXPECT_EQ(next_task(tasks), 0u) << "until they promise more";
}

TEST(TaskAllocator, PrefersWhatImprovesToWhatStandsStill) {
  const std::vector<TaskState> tasks{searched(20, {100, 100, 100, 100}), searched(20, {100, 90, 80, 70})};
  EXPECT_EQ(next_task(tasks), 1u);
}

TEST(TaskAllocator, PrefersTheOneThatHadLess) {
  const std::vector<TaskState> tasks{searched(20, {100, 100, 100}), searched(5, {100, 100, 100})};
  EXPECT_EQ(next_task(tasks), 1u);
}

TEST(TaskAllocator, PrefersTheOneThatIsFartherFromTheRoofline) {
  const std::vector<TaskState> tasks{at_share(0.95), at_share(0.8)};
  EXPECT_EQ(next_task(tasks), 1u);
  // A sixth of the room, but no more than 5%.
  EXPECT_NEAR(gain_of_doubling(at_share(0.95)), std::pow(0.95, -1.0 / 6) - 1, 1e-12);
  EXPECT_NEAR(gain_of_doubling(at_share(0.2)), std::expm1(0.05), 1e-12);
  EXPECT_NEAR(gain_of_doubling(searched(20, {100})), std::expm1(0.05), 1e-12) << "not known";
}

TEST(TaskAllocator, NothingIsExpectedBeyondTheRoofline) {
  EXPECT_NEAR(expected_gain(at_share(0.99, searched(20, {200, 100}))), -std::log(0.99) / 20, 1e-12);
  EXPECT_EQ(expected_gain(at_share(1)), 0);
}

TEST(TaskAllocator, StartingPointsMayDoLessWorkThanTheBest) {
  TaskState direct = at_share(1);
  direct.has_starting_points = true;  // perhaps of Winograd's algorithm
  EXPECT_GT(expected_gain(direct), 0);
  EXPECT_GT(gain_of_doubling(direct), 0.05);
}

TEST(TaskAllocator, TheRunsOwnEstimateHasMostOfTheWeight) {
  TaskState task = searched(20, {100, 100}), hopeful = task;
  task.remaining_gain = 0;
  hopeful.remaining_gain = 0.1;
  EXPECT_NEAR(expected_gain(task), 0.8 * 0.05 / 4 / 20, 1e-12);
  EXPECT_NEAR(expected_gain(hopeful), 0.8 * (0.05 + 3 * std::log(1.1)) / 4 / 20, 1e-12);
  EXPECT_EQ(gain_of_doubling(task), 0);
  EXPECT_EQ(gain_of_doubling(hopeful), 0.1);
}

TEST(TaskAllocator, APercentOfAWeightCountsAlikeInLongAndShortKernels) {
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
