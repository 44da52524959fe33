#include "bench/figures/tunings/kernels.h"

#include <fmt/format.h>

#include "measure/build/builder.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/registry.h"
#include "search/task/check_data.h"

namespace nestwright::bench {
namespace {

ir::Program lowered(const Task& task, const Template& source, const Config& config) {
  const Instance instance = instantiate(source, task.workload, task.target, config);
  return lower(instance.schedule, instance.definition.args, task.target, task.workload.op->name);
}

}  // namespace

Task host_task(const std::string& workload, int threads) {
  Task task{parse_workload(workload), Target::host()};
  task.target.threads = threads;
  return task;
}

ir::Program default_program(const Task& task) {
  for (const Template* source : templates_for(task.workload, task.target)) {
    const std::vector<Config> seeds = source->seeds(task.workload, task.target);
    if (!seeds.empty()) return lowered(task, *source, seeds.front());
  }
  throw UsageError("no template has a default for " + task.workload.str());
}

ir::Program program_of(const Task& task, const std::string& template_name, const std::string& config) {
  const Template* source = builtin_registry().find_template(template_name);
  if (source == nullptr) throw UsageError("this build has no template " + template_name);
  return lowered(task, *source, Config::parse(config));
}

std::vector<CompiledObject> build_kernels(const std::vector<ir::Program>& programs, const Target& target) {
  std::vector<CompiledObject> objects;
  for (BuildResult& built : make_local_builder(target)->build(programs, Pipeline::kFinal)) {
    if (built.outcome != Outcome::kOk) throw Error(fmt::format("a kernel was not built: {}", built.message));
    objects.push_back(std::move(built.object));
  }
  return objects;
}

std::unique_ptr<Runner> make_task_runner(const Task& task, const TimingOptions& timing) {
  return make_local_runner(make_check_data(task.workload),
                           {.target = task.target, .threads = task.target.threads, .timing = timing});
}

std::vector<Timing> race_kernels(Runner& runner, const std::vector<const CompiledObject*>& objects) {
  std::vector<Contender> contenders;
  for (const CompiledObject* object : objects) contenders.push_back({.object = object});
  std::vector<Timing> timings;
  for (Measurement& measured : runner.race(contenders)) {
    if (measured.outcome != Outcome::kOk) throw Error(fmt::format("a kernel failed in a race: {}", measured.message));
    timings.push_back(std::move(measured.timing));
  }
  return timings;
}

}  // namespace nestwright::bench
