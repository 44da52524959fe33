#include "search/budget/task_allocator.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nestwright {
namespace {

constexpr double kAlpha = 0.2;                       // Ansor's weight of the past
constexpr double kPerEra = 0.05, kOfRoom = 1.0 / 6;  // expected logarithm of the gain in as much time again
constexpr double kOfStart = 0.1;                     // the same while starting points are left
constexpr double kTrust = 3;                         // weight of the run's own estimate beside these
constexpr std::size_t kWindow = 3;                   // turns that the past is computed from
constexpr double kMinSeconds = 1;                    // of a task before its gain is estimated

double past_gain(const TaskState& task) {
  const auto& turns = task.turns;
  if (turns.size() < 2) return 0;
  const TaskState::Turn& now = turns.back();
  const TaskState::Turn& then = turns[turns.size() - 1 - std::min(kWindow, turns.size() - 1)];
  if (then.best_ns <= 0 || now.best_ns <= 0) return 0;
  const double seconds = std::max(now.seconds - then.seconds, 1e-3);
  return std::max(0.0, std::log(then.best_ns / now.best_ns)) / seconds;
}

/// The largest possible logarithm of a gain. Starting points may do less work than the best, whose roofline it is.
double room_of(const TaskState& task) {
  const bool is_known = !task.has_starting_points && task.roofline_share && *task.roofline_share > 0;
  return is_known ? std::max(-std::log(*task.roofline_share), 0.0) : std::numeric_limits<double>::infinity();
}

/// The expected logarithm of the gain in as much time again, by what searches gain as a rule.
double usual_gain(const TaskState& task) {
  return task.has_starting_points ? kOfStart : std::min(kPerEra, kOfRoom * room_of(task));
}

}  // namespace

double gain_of_doubling(const TaskState& task) {
  const bool is_estimated = !task.has_starting_points && task.remaining_gain;
  return is_estimated ? *task.remaining_gain : std::expm1(usual_gain(task));
}

double expected_gain(const TaskState& task) {
  const double usual = usual_gain(task), own = std::log1p(gain_of_doubling(task));
  const double future = (usual + kTrust * own) / (1 + kTrust);
  const double seconds = std::max(task.seconds, kMinSeconds);
  const double era = std::min(kAlpha * past_gain(task) * seconds + (1 - kAlpha) * future, room_of(task));
  return task.weight * era / seconds;
}

std::optional<std::size_t> next_task(std::span<const TaskState> tasks) {
  double all = 0;
  for (const TaskState& task : tasks) all += task.weight;
  // The later kinds wait for the earlier ones.
  enum class Kind : std::uint8_t { kFirstTurn, kStartingPoints, kByGain };
  const auto kind_of = [all](const TaskState& task) {
    if (task.trials == 0) return Kind::kFirstTurn;
    return task.has_starting_points && task.weight >= kMinShare * all ? Kind::kStartingPoints : Kind::kByGain;
  };
  std::optional<std::size_t> chosen;
  Kind kind = Kind::kByGain;
  double largest = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!tasks[i].open) continue;
    const Kind of_task = kind_of(tasks[i]);
    const double value = of_task == Kind::kFirstTurn ? tasks[i].weight : expected_gain(tasks[i]);
    if (chosen && (of_task > kind || (of_task == kind && value <= largest))) continue;
    chosen = i;
    kind = of_task;
    largest = value;
  }
  return chosen;
}

}  // namespace nestwright
