#include "nestwright/lookup.h"

#include <fmt/format.h>

#include <exception>

#include "lookup/provenance.h"
#include "lookup/task_key.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "target/description/former_target.h"
#include "templates/framework/space/completion.h"
#include "templates/framework/space/discover.h"

namespace nestwright {
namespace {

/// Returns the recorded configuration with its labels resolved, if it is a valid point for this workload.
std::optional<Config> resolve_for(const Task& task, const Point& point) {
  const Template* source = task.workload.op->find_template(point.template_name);
  if (source == nullptr || (source->why_not && !source->why_not(task.workload, task.target).empty())) {
    return std::nullopt;
  }
  try {
    const ConfigSpace space = discover_branch(*source, task.workload, task.target, point.config);
    Config config = space.resolve(point.config);
    if (space.is_valid(config)) return config;
  } catch (const Error&) {
    // this shape does not have the knob or the candidate, or the template fails for it
  }
  return std::nullopt;
}

/// Sets the template and the configuration to the first seed that can be lowered.
void set_default(const TaskContext& context, std::string_view only, Lookup& found) {
  const Task& task = context.task();
  std::exception_ptr first_failure;
  for (const Template* t : context.templates(only)) {
    for (const Config& seed : context.seeds(*t)) {
      try {
        program_of(task, *t, seed, kernel_name(task.workload));
        found.source = t;
        found.config = seed;
        return;
      } catch (...) {
        if (!first_failure) first_failure = std::current_exception();
      }
    }
  }
  if (first_failure) std::rethrow_exception(first_failure);
  refuse_without_schedule(task.workload, task.target, only);
}

}  // namespace

Lookup look_up(const TaskContext& context, const TuningLog* log, std::string_view only) {
  const Task& task = context.task();
  std::vector<TemplateVersion> versions = context.usable_templates();
  if (!only.empty()) {
    versions.clear();
    for (const Template* t : context.templates(only)) versions.push_back({t->name, t->version});
  }
  Lookup found;
  std::optional<BestRecord> other;  // with other caches
  if (log != nullptr) {
    const auto fits = [&](const BestRecord& record) { return resolve_for(task, record.point).has_value(); };
    TaskFilter filter;
    filter.target = task.target.str();
    filter.backend = backend_here(filter.target);
    filter.cache = caches_of(task);
    const std::optional<Target> former = former_target(task.target);
    const auto find = [&] {
      return find_best(*log, workload_key(task.workload), filter, machine_of(task.target), versions, fits,
                       former ? former->str() : "");
    };
    found.record = find();
    filter.cache.clear();
    if (!found.record) other = find();
  }
  if (found.record) {
    found.match = found.record->match;
    found.source = task.workload.op->find_template(found.record->point.template_name);
    found.config = resolve_for(task, found.record->point).value_or(found.record->point.config);
    found.hint = hint_reason(*found.record, context.provenance());
    return found;
  }
  found.why_default = log == nullptr ? "no database was given" : "the database has no record that fits it";
  if (other) {
    found.why_default += fmt::format(" with {} caches, but one with {} caches", caches_of(task), other->task.cache);
  }
  set_default(context, only, found);
  return found;
}

std::optional<Lookup> look_up_trial(const TaskContext& context, const TuningLog& log, TrialId trial) {
  const std::optional<BestRecord> recorded = log.find_trial(trial);
  if (!recorded) return std::nullopt;
  const Task& task = context.task();
  const BestRecord& record = *recorded;
  const auto refuse = [&](const std::string& why) -> Lookup {
    throw UsageError(fmt::format("trial {} {}", trial, why));
  };
  if (record.task.workload.text != task.workload.str()) {
    return refuse(fmt::format("is of another workload, {}: give that one", record.task.workload.text));
  }
  const std::optional<Target> former = former_target(task.target);
  const bool is_former = former && record.task.target == former->str();
  if (!is_former && record.task.target != task.target.str()) {
    return refuse(fmt::format("is of another target: give --target {}", record.task.target));
  }
  if (const std::string failure = log.failure_of(trial); !failure.empty()) {
    return refuse(fmt::format("failed ({}): choose another one", failure));
  }
  const Point& point = record.point;
  const Template* source = task.workload.op->find_template(point.template_name);
  std::optional<Config> config;
  if (source != nullptr && source->version == point.version) config = resolve_for(task, point);
  const RecordProvenance& now = context.provenance();
  if (!config) {
    const std::vector<std::string> changed = plugin_differences(now.plugins, record.made_by.plugins);
    const std::string advice =
        changed.empty() ? ": tune again"
                        : fmt::format(" ({}): give that plugin with --plugin, or tune again", fmt::join(changed, ", "));
    return refuse(fmt::format("is no valid configuration of template {} version {} in this build{}",
                              point.template_name, point.version, advice));
  }
  Lookup found{.match = MatchKind::kExact, .source = source, .config = *config, .record = record};
  if (record.task.machine != machine_of(task.target)) found.match = MatchKind::kOtherMachine;
  found.record->match = found.match;
  if (is_former) found.record->target_now = task.target.str();
  found.hint = hint_reason(*found.record, now);
  return found;
}

ir::Program program_of(const Task& task, const Template& source, const Config& config, const std::string& name) {
  const Instance instance = instantiate(source, task.workload, task.target, config);
  return lower(instance.schedule, instance.definition.args, task.target, name);
}

}  // namespace nestwright
