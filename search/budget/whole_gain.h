// Estimates how much faster a list of tasks as a whole would become if their searches went on for as long again, where
// each task counts by its weight. A single long kernel that gains 10% and has a tenth of the time makes the whole 1%
// faster.
// Thread rule: pure functions. Unit: gains are relative to the speed now (0.01: 1% faster).
#pragma once

#include <cstddef>
#include <span>

#include "search/budget/task_allocator.h"

namespace nestwright {

/// The expected gain of the whole. A task that is not open gains nothing.
double whole_gain(std::span<const TaskState> tasks);

/// The part of whole_gain() that task `i` alone would bring.
double part_of_whole_gain(std::span<const TaskState> tasks, std::size_t i);

}  // namespace nestwright
