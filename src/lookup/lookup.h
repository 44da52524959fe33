// Which configuration serves a workload: the best recorded one, that of the nearest shape, or the template's default.
// Thread rule: one thread at a time per log.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "logs/tuning_log.h"
#include "templates/framework/template.h"

namespace nestwright {

struct Lookup {
  MatchKind match = MatchKind::kDefault;
  const Template* source = nullptr;
  Config config;
  std::optional<BestRecord> record;  ///< absent for kDefault
  std::string why_default;           ///< kDefault: why nothing recorded serves, one clause
};

/// Templates of this build for an operator: what a record must come from to be usable.
std::vector<TemplateVersion> usable_templates(std::string_view op, DeviceKind device);

/// `log` may be null: then the answer is the default. Records of `target` count, those of this machine before those of
/// others, and of all templates, or of the one named `only`. Throws UsageError where there is no template, LogError.
Lookup look_up(const Task& task, const TuningLog* log, std::string_view only = {});

/// The program of a configuration, in loop form. Throws ScheduleError, LowerError, UsageError.
ir::Program program_of(const Task& task, const Template& source, const Config& config, const std::string& name);

}  // namespace nestwright
