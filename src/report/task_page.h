// The part of a page about one task: its sections in order, and its trials.
// Thread rule: pure functions, except that named tasks lower and compile kernels.
#pragma once

#include "report/page/page.h"
#include "report/task_data.h"

namespace nestwright::report {

/// Of more than `max_trials` trials, the page has the fastest half and the latest of the others; what it says is of
/// all. Moves the trials out of `data`.
TaskPage task_page(TaskData& data, std::size_t max_trials);

}  // namespace nestwright::report
