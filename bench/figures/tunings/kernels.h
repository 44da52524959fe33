// Compiles kernels of templates as for a final race, and races them without a search.
// Thread rule: one thread at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/backend.h"
#include "measure/run/runner.h"
#include "nestwright/program.h"
#include "nestwright/workload.h"

namespace nestwright::bench {

/// The task of a workload on this machine. Throws UsageError for an illegal workload.
Task host_task(const std::string& workload, int threads);

/// The program of the default of the first template that has one.
ir::Program default_program(const Task& task);
/// The program of a configuration. Throws UsageError where this build does not have the template or the configuration.
ir::Program program_of(const Task& task, const std::string& template_name, const std::string& config);

/// One object for each program, in order, by the final pipeline. Throws Error where one cannot be built.
std::vector<CompiledObject> build_kernels(const std::vector<ir::Program>& programs, const Target& target);

/// A runner as a session makes it. The default options are those of the normal effort (search/budget/effort.h).
std::unique_ptr<Runner> make_task_runner(const Task& task, const TimingOptions& timing = {});

/// Races kernels that are known to be correct. Throws Error where one fails.
std::vector<Timing> race_kernels(Runner& runner, const std::vector<const CompiledObject*>& objects);

}  // namespace nestwright::bench
