#include "search/budget/whole_gain.h"

namespace nestwright {
namespace {

double weight_of(std::span<const TaskState> tasks) {
  double weight = 0;
  for (const TaskState& task : tasks) weight += task.weight;
  return weight;
}

/// The weight that the task is expected to lose: its weight stands for its time.
double saved_weight(const TaskState& task) {
  const double gain = task.open ? gain_of_doubling(task) : 0;
  return task.weight * gain / (1 + gain);
}

double gain_of(double saved, double weight) { return saved > 0 ? saved / (weight - saved) : 0; }

}  // namespace

double whole_gain(std::span<const TaskState> tasks) {
  double saved = 0;
  for (const TaskState& task : tasks) saved += saved_weight(task);
  return gain_of(saved, weight_of(tasks));
}

double part_of_whole_gain(std::span<const TaskState> tasks, std::size_t i) {
  return gain_of(saved_weight(tasks[i]), weight_of(tasks));
}

}  // namespace nestwright
