// Runs the very object that is about to be exported: its result against the reference, and how long it takes here.
// Thread rule: one thread at a time; nothing else should load the machine meanwhile.
#pragma once

#include "exporter/exporter.h"

namespace nestwright::cli {

/// Checks as finalists are checked, then times in fresh processes. Throws Error where the worker cannot be started.
ExportCheck check_export(const Task& task, const CompiledObject& object);

}  // namespace nestwright::cli
