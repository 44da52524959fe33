// The log's keys of workloads and tasks.
// Thread rule: pure functions.
#pragma once

#include "logs/record.h"
#include "templates/workload.h"

namespace nestwright {

/// Throws UsageError for an unknown operator.
WorkloadKey workload_key(const Workload& workload);

/// Everything that the results of a task depend on, on this machine. Throws CompileError where this build has no
/// backend for the target.
TaskKey task_key(const Task& task);

}  // namespace nestwright
