// Finds the configuration to use for a workload: the best recorded one, that of the nearest shape, or the template's
// default.
// Thread rule: one thread at a time per log.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "logs/tuning_log.h"
#include "lookup/task_context.h"
#include "templates/framework/template/template.h"

namespace nestwright {

/// The configuration for a task, and where it comes from.
struct Lookup {
  MatchKind match = MatchKind::kDefault;
  const Template* source = nullptr;  ///< of the task's operator, and lives as long
  Config config;
  std::optional<BestRecord> record;  ///< absent for kDefault
  std::string why_default;           ///< kDefault: why no record can be used, one clause
  std::string hint;                  ///< hint_reason() of the record; empty: it is current, or there is none
};

/// Looks up a task. If `log` is null, the result is the default, the first seed of a template that can be lowered. Only
/// records of the task's target and state of the caches count, those of this machine before those of others, and only
/// of the template named `only` if it is not empty. Throws UsageError if there is no template with a legal schedule,
/// LogError, and what lowering throws where no seed can be lowered.
Lookup look_up(const TaskContext& context, const TuningLog* log, std::string_view only = {});

/// Returns the configuration of a recorded trial; the match is kExact or kOtherMachine. Throws UsageError if the trial
/// failed, has another workload or target, or is not a valid configuration of a template of this build, and then names
/// the plugins of the record that are not loaded.
Lookup look_up_trial(const TaskContext& context, const FoundTrial& trial);

/// Returns the program of a configuration, in loop form. Throws ScheduleError, LowerError, UsageError.
ir::Program program_of(const Task& task, const Template& source, const Config& config, const std::string& name);

}  // namespace nestwright
