// Chooses which of several tasks gets the next turn on a common budget: the one with the largest expected gain. Follows
// the gradient of Ansor's task scheduler (Zheng et al., OSDI'20, section 6; auto_scheduler/task_scheduler.py) for the
// objective sum of weight * ln(time), in which a percent of a long kernel counts as much as a percent of a short one:
//
//   gain per second = weight * (alpha * past + (1 - alpha) * future)
//   past            = ln(best then / best now) / seconds, over the last few turns of the task
//   future          = kPerEra / seconds spent on the task: what as much time again is expected to gain
//
// Ansor's future term assumes that the time falls to zero in as much time again (kPerEra = 1). Here searches start near
// their optimum, so that this would divide the budget evenly; kPerEra is the gain observed in the second halves of
// searches. Ansor's third term, the speed of similar tasks, is left out: shapes of one operator may be bound by
// different resources, and a task at its limit would get the whole budget. First of all, every task gets a turn; a task
// that has not tried all of its seeds is expected to gain kOfSeeds in as much time again.
// Thread rule: a pure function.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace nestwright {

/// The state of a task that the allocation depends on.
struct TaskState {
  double weight = 1;
  bool open = true;         ///< false: its search is over
  std::int64_t trials = 0;  ///< recorded so far, earlier runs included
  std::int64_t seeds = 0;   ///< trials of configurations that are good guesses
  double seconds = 0;       ///< spent on it, earlier runs included
  struct Turn {
    double seconds = 0;  ///< spent on the task at the end of the turn
    double best_ns = 0;  ///< at the end of the turn; 0: none yet
  };
  std::vector<Turn> turns;  ///< of this run, in order; times of different runs are not comparable
};

/// Expected gain per second of the task's next turn.
double expected_gain(const TaskState& task);

/// Index of the task that gets the next turn: first, in order, tasks without a trial; then the task with the largest
/// gain, the first one in a tie. nullopt where no task is open.
std::optional<std::size_t> next_task(std::span<const TaskState> tasks);

}  // namespace nestwright
