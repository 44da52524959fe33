#include "search/budget/whole_gain.h"

#include <gtest/gtest.h>

#include <vector>

namespace nestwright {
namespace {

TaskState gaining(double weight, double gain) {
  return {.weight = weight, .trials = 200, .has_starting_points = false, .remaining_gain = gain};
}

TEST(WholeGain, TasksCountByTheirWeights) {
  // 25 of 100 become 20, 5 become 4: the whole is 100/94 times as fast.
  const std::vector<TaskState> tasks{gaining(70, 0), gaining(25, 0.25), gaining(5, 0.25)};
  EXPECT_NEAR(whole_gain(tasks), 100.0 / 94 - 1, 1e-12);
  EXPECT_NEAR(part_of_whole_gain(tasks, 1), 100.0 / 95 - 1, 1e-12);
  EXPECT_NEAR(part_of_whole_gain(tasks, 2), 100.0 / 99 - 1, 1e-12);
  EXPECT_EQ(part_of_whole_gain(tasks, 0), 0);
}

TEST(WholeGain, OneTaskIsTheWhole) { EXPECT_NEAR(whole_gain(std::vector<TaskState>{gaining(3, 0.1)}), 0.1, 1e-12); }

TEST(WholeGain, WhatIsClosedGainsNothing) {
  std::vector<TaskState> tasks{gaining(50, 0.1), gaining(50, 0.25)};
  tasks[1].open = false;
  EXPECT_NEAR(whole_gain(tasks), 1 / (1 - 0.5 * (1 - 1 / 1.1)) - 1, 1e-12);
  EXPECT_EQ(whole_gain({}), 0);
}

TEST(WholeGain, StartingPointsThatAreLeftPromiseMoreThanASearch) {
  std::vector<TaskState> tasks{gaining(50, 0), gaining(50, 0)};
  tasks[1].has_starting_points = true;
  EXPECT_GT(whole_gain(tasks), 0.04) << "whatever the run estimates";
}

}  // namespace
}  // namespace nestwright
