// Chooses which of several tasks gets the next turn on a common budget. First every task gets a turn, the
// heaviest first; then those with untried starting points come before the others. Among these and among the others, the
// one with the largest expected gain is next. That follows the gradient of Ansor's task scheduler (Zheng et al.,
// OSDI'20, section 6; auto_scheduler/task_scheduler.py):
//
//   gain per second = weight * min(alpha * past * seconds + (1 - alpha) * future, room) / seconds
//   past            = ln(best then / best now) / seconds, over the last few turns of the task
//   future          = expected ln(best now / best later) in as much time again
//   room            = ln(1 / share of the roofline that the best reaches)
//
// Ansor's future term assumes that the time falls to zero in as much time again. Here searches start near their
// optimum, and the term is kOfRoom of the room, at most kPerEra: about the means of what doublings of the trials gained
// in the searches of bench/networks that docs/design/search.md counts. Once the run estimates its own remaining gain
// (search/budget/remaining_gain), from its history and its model, that estimate has most of the weight. It may be zero;
// the first term is zero at the roofline only, so that no other task is left out. Ansor's third term, the speed of
// similar tasks, is left out: shapes of one operator may be bound by different resources, and a task at its limit would
// get the whole budget.
// Thread rule: pure functions. Unit: seconds, nanoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace nestwright {

/// The state of a task that the allocation depends on.
struct TaskState {
  /// What a relative gain of the task is worth: where the total time counts, its calls times the time of one.
  double weight = 1;
  bool open = true;                      ///< false: its search is over
  std::int64_t trials = 0;               ///< recorded so far, earlier runs included
  bool has_starting_points = true;       ///< some seeds or transferred points of its start are not tried yet
  double seconds = 0;                    ///< spent on it, earlier runs included
  std::optional<double> roofline_share;  ///< SearchOutlook::roofline_share
  std::optional<double> remaining_gain;  ///< TaskRun::remaining_gain()
  struct Turn {
    double seconds = 0;  ///< spent on the task at the end of the turn
    double best_ns = 0;  ///< at the end of the turn; 0: none yet
  };
  std::vector<Turn> turns;  ///< of this run, in order; times of different runs are not comparable
};

/// How much faster the task is expected to become if its search goes on for as long again (0.01: 1%).
double gain_of_doubling(const TaskState& task);

/// Expected gain per second of the task's next turn.
double expected_gain(const TaskState& task);

/// Index of the task that gets the next turn; the first one in a tie. A task whose weight is below kMinShare of all
/// waits for its starting points, after its first turn, until it has the largest gain. nullopt where no task is open.
std::optional<std::size_t> next_task(std::span<const TaskState> tasks);
inline constexpr double kMinShare = 0.01;

}  // namespace nestwright
