#include "lookup/lookup.h"

#include <fmt/format.h>

#include "lookup/provenance.h"
#include "lookup/task_key.h"
#include "lower/lower.h"
#include "support/error.h"
#include "templates/framework/completion.h"
#include "templates/framework/discover.h"

namespace nestwright {
namespace {

/// Returns the recorded configuration with its labels resolved, if it is a valid point for this workload.
std::optional<Config> resolve_for(const Task& task, const Proposal& proposal) {
  const Template* source = task.workload.op->find_template(proposal.from.name);
  if (source == nullptr || (source->why_not && !source->why_not(task.workload, task.target).empty())) {
    return std::nullopt;
  }
  try {
    const ConfigSpace space = discover_branch(*source, task.workload, task.target, proposal.config);
    Config config = space.resolve(proposal.config);
    if (space.is_valid(config)) return config;
  } catch (const Error&) {
    // this shape does not have the knob or the candidate, or the template fails for it
  }
  return std::nullopt;
}

}  // namespace

std::vector<TemplateVersion> usable_templates(const Operator& op, DeviceKind device) {
  std::vector<TemplateVersion> versions;
  for (const Template* t : templates_for(op, device)) versions.push_back({t->name, t->version});
  return versions;
}

Lookup look_up(const Task& task, const TuningLog* log, std::string_view only) {
  std::vector<TemplateVersion> versions = usable_templates(*task.workload.op, task.target.device);
  if (!only.empty()) {
    versions.clear();
    for (const Template* t : templates_for(task.workload, task.target, only)) versions.push_back({t->name, t->version});
  }
  Lookup found;
  std::optional<BestRecord> other;  // with other caches
  if (log != nullptr) {
    const auto fits = [&](const BestRecord& record) { return resolve_for(task, record.proposal).has_value(); };
    TaskFilter filter;
    filter.target = task.target.str();
    filter.backend = backend_here(filter.target);
    filter.cache = caches_of(task);
    const auto find = [&] {
      return find_best(*log, workload_key(task.workload), filter, machine_of(task.target), versions, fits);
    };
    found.record = find();
    filter.cache.clear();
    if (!found.record) other = find();
  }
  if (found.record) {
    found.match = found.record->match;
    found.source = task.workload.op->find_template(found.record->proposal.from.name);
    found.config = resolve_for(task, found.record->proposal).value_or(found.record->proposal.config);
    found.hint = hint_reason(*found.record, current_provenance(task.workload.op.get()));
    return found;
  }
  found.why_default = log == nullptr ? "no database was given" : "the database has no record that fits it";
  if (other) {
    found.why_default += fmt::format(" with {} caches, but one with {} caches", caches_of(task), other->task.cache);
  }
  for (const Template* t : templates_for(task.workload, task.target, only)) {
    const std::vector<Config> seeds = seeds_of(*t, task.workload, task.target);
    if (seeds.empty()) continue;
    found.source = t;
    found.config = seeds.front();
    return found;
  }
  throw UsageError("no template has a default configuration for '" + task.workload.str() + "': tune it first");
}

Lookup look_up_trial(const Task& task, const FoundTrial& trial) {
  const BestRecord& record = trial.record;
  const auto refuse = [&](const std::string& why) -> Lookup {
    throw UsageError(fmt::format("trial {} {}", record.trial, why));
  };
  if (record.task.workload.text != task.workload.str()) {
    return refuse(fmt::format("is of another workload, {}: give that one", record.task.workload.text));
  }
  if (record.task.target != task.target.str()) {
    return refuse(fmt::format("is of another target: give --target {}", record.task.target));
  }
  if (trial.outcome != Outcome::kOk) {
    return refuse(fmt::format("failed ({}: {}): choose another one", outcome_name(trial.outcome), trial.message));
  }
  const TemplateVersion& from = record.proposal.from;
  const Template* source = task.workload.op->find_template(from.name);
  std::optional<Config> config;
  if (source != nullptr && source->version == from.version) config = resolve_for(task, record.proposal);
  const RecordProvenance now = current_provenance(task.workload.op.get());
  if (!config) {
    const std::vector<std::string> changed = plugin_differences(now.plugins, record.made_by.plugins);
    const std::string advice =
        changed.empty() ? ": tune again"
                        : fmt::format(" ({}): give that plugin with --plugin, or tune again", fmt::join(changed, ", "));
    return refuse(fmt::format("is no valid configuration of template {} version {} in this build{}", from.name,
                              from.version, advice));
  }
  Lookup found{.match = MatchKind::kExact, .source = source, .config = *config, .record = record};
  if (record.task.machine != machine_of(task.target)) found.match = MatchKind::kOtherMachine;
  found.record->match = found.match;
  found.hint = hint_reason(*found.record, now);
  return found;
}

ir::Program program_of(const Task& task, const Template& source, const Config& config, const std::string& name) {
  const Instance instance = instantiate(source, task.workload, task.target, config);
  return lower(instance.schedule, instance.definition.args, task.target, name);
}

}  // namespace nestwright
