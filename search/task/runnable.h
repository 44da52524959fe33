// Checks that this machine can tune a task, before a database is opened or a process started.
// Thread rule: one thread at a time.
#pragma once

#include "nestwright/workload.h"
#include "target/description/machine.h"

namespace nestwright {

/// Returns the bytes of memory that the tensors of a workload take while it is tuned.
double tuning_bytes(const Workload& workload);

/// Throws UsageError if `machine` does not have the instructions or the device of the task's target, or enough memory
/// for its tensors.
void require_runnable(const Task& task, const Machine& machine);

}  // namespace nestwright
