// The part of a page about one task: its sections in order, and its trials.
// Thread rule: pure functions, except that named tasks lower and compile kernels.
#pragma once

#include "report/page/page.h"
#include "report/task_data.h"

namespace nestwright::report {

TaskPage task_page(TaskData data);

}  // namespace nestwright::report
