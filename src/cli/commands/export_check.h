// Runs an object before it is exported: compares its result with the reference and times it on this machine.
// Thread rule: one thread at a time, on a machine that is otherwise idle.
#pragma once

#include "nestwright/export.h"
#include "search/task/check_data.h"

namespace nestwright::cli {

/// Checks the object as finalists are checked, with references that `checks` limits, then times it in fresh processes.
/// Throws Error if the worker cannot be
/// started.
ExportCheck check_export(const Task& task, const CompiledObject& object, const CheckEffort& checks);

}  // namespace nestwright::cli
