// The log's keys of workloads and tasks.
// Thread rule: pure functions.
#pragma once

#include <string>

#include "nestwright/records.h"
#include "nestwright/target.h"
#include "nestwright/workload.h"

namespace nestwright {

/// Returns the key of a workload.
WorkloadKey workload_key(const Workload& workload);

/// Returns what times on this machine depend on: its fingerprint and, for a device, also the device and its driver.
std::string machine_of(const Target& target);

/// Returns the key of the highest rates of a machine on this many threads (machine_limit in logs/FORMAT.md).
std::string limits_key(const std::string& machine, int threads);

/// Returns the name of the state of the caches in which the task is timed.
std::string caches_of(const Task& task);

/// Returns everything that the results of a task on this machine depend on. Throws CompileError if this build does not
/// have a backend for the target.
TaskKey task_key(const Task& task);

}  // namespace nestwright
