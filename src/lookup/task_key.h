// The log's keys of workloads and tasks.
// Thread rule: pure functions.
#pragma once

#include <string>

#include "logs/record.h"
#include "target/target.h"
#include "templates/framework/workload.h"

namespace nestwright {

/// Throws UsageError for an unknown operator.
WorkloadKey workload_key(const Workload& workload);

/// What times depend on, on this machine: of a device also which one it is, and its driver.
std::string machine_of(const Target& target);

/// Everything that the results of a task depend on, on this machine. Throws CompileError where this build has no
/// backend for the target.
TaskKey task_key(const Task& task);

}  // namespace nestwright
