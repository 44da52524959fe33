#include "search/budget/task_allocator.h"

#include <algorithm>
#include <cmath>

namespace nestwright {
namespace {

constexpr double kAlpha = 0.2;      // Ansor's weight of the past
constexpr double kPerEra = 0.05;    // expected logarithm of the gain in as much time again
constexpr double kOfSeeds = 0.5;    // the same while seeds are left
constexpr std::size_t kWindow = 3;  // turns that the past is computed from
constexpr double kMinSeconds = 1;   // of a task before its gain is estimated

double past_gain(const TaskState& task) {
  const auto& turns = task.turns;
  if (turns.size() < 2) return 0;
  const TaskState::Turn& now = turns.back();
  const TaskState::Turn& then = turns[turns.size() - 1 - std::min(kWindow, turns.size() - 1)];
  if (then.best_ns <= 0 || now.best_ns <= 0) return 0;
  const double seconds = std::max(now.seconds - then.seconds, 1e-3);
  return std::max(0.0, std::log(then.best_ns / now.best_ns)) / seconds;
}

}  // namespace

double expected_gain(const TaskState& task) {
  const double future = (task.trials < task.seeds ? kOfSeeds : kPerEra) / std::max(task.seconds, kMinSeconds);
  return task.weight * (kAlpha * past_gain(task) + (1 - kAlpha) * future);
}

std::optional<std::size_t> next_task(std::span<const TaskState> tasks) {
  std::optional<std::size_t> chosen;
  double largest = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!tasks[i].open) continue;
    if (tasks[i].trials == 0) return i;
    const double gain = expected_gain(tasks[i]);
    if (chosen && gain <= largest) continue;
    chosen = i;
    largest = gain;
  }
  return chosen;
}

}  // namespace nestwright
