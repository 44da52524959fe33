// Whether this machine can tune a task at all: what it lacks is said before anything is opened or started.
// Thread rule: one thread at a time.
#pragma once

#include "target/machine.h"
#include "templates/framework/workload.h"

namespace nestwright::cli {

/// Bytes of memory that tuning a workload takes for its tensors.
double tuning_bytes(const Workload& workload);

/// Throws UsageError where `machine` has not the instructions of the task's target, no such device, or not the memory
/// for its tensors.
void refuse_unrunnable(const Task& task, const Machine& machine);

}  // namespace nestwright::cli
