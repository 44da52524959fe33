// Which of several tasks gets the next share of a common budget: the one from which most can still be expected. After
// the gradient of Ansor's task scheduler (Zheng et al., OSDI'20, section 6; auto_scheduler/task_scheduler.py), for the
// objective sum of weight * ln(time), so that a percent counts alike in a long kernel and a short one:
//
//   gain a second = weight * (alpha * past + (1 - alpha) * future)
//   past          = ln(best then / best now) / seconds, over the last few turns of the task
//   future        = kPerEra / seconds that the task has had: what as much time again is expected to bring
//
// Ansor expects the time to go to zero, as it were, in as much time again (kPerEra = 1), which leaves everything to be
// shared out evenly here, where searches start near their end; ours is what late halves of searches bring. Ansor's
// third term, the speed of similar tasks, is left out: two shapes of one operator may be bound by different things, and
// a task that can go no faster would get everything. Before all that, every task gets as many trials as it has seeds.
// Thread rule: a pure function.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace nestwright {

/// A task as the allocation sees it.
struct TaskStanding {
  double weight = 1;
  bool open = true;         ///< false: its search is over
  std::int64_t trials = 0;  ///< recorded, of earlier runs too
  std::int64_t seeds = 0;   ///< trials that it gets before others get more than their own
  double seconds = 0;       ///< that were spent on it, in earlier runs too
  struct Turn {
    double seconds = 0;  ///< of the task at its end
    double best_ns = 0;  ///< at its end; 0: none yet
  };
  std::vector<Turn> turns;  ///< of this run, in order: times of two runs are not comparable
};

/// Expected gain a second from the next turn of the task.
double expected_gain(const TaskStanding& task);

/// The index of the task whose turn it is: first those that have not had their seeds, in order; then the one with the
/// largest gain, the first of equals. nullopt where none is open.
std::optional<std::size_t> next_task(std::span<const TaskStanding> tasks);

}  // namespace nestwright
