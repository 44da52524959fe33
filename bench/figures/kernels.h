// Kernels of templates, compiled as for a final race, and the runner that races them, without a search.
// Thread rule: one thread at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/backend.h"
#include "ir/core/program.h"
#include "measure/runner.h"
#include "templates/framework/workload.h"

namespace nestwright::bench {

/// A workload on this machine. Throws UsageError for a workload that is none.
Task host_task(const std::string& workload, int threads);

/// The first template that has a default gives it.
ir::Program default_program(const Task& task);
/// Throws UsageError where this build has no such template, or the template no such configuration.
ir::Program program_of(const Task& task, const std::string& template_name, const std::string& config);

/// One object a program, in order, by the final pipeline. Throws Error where one cannot be built.
std::vector<CompiledObject> build_all(const std::vector<ir::Program>& programs, const Target& target);

/// As a session makes it: its races are those of the normal effort (search/effort.h), which the default options are.
std::unique_ptr<Runner> make_task_runner(const Task& task, const TimingOptions& timing = {});

/// Races them, all known to be right. Throws Error where one fails.
std::vector<Timing> race_all(Runner& runner, const std::vector<const CompiledObject*>& objects);

}  // namespace nestwright::bench
