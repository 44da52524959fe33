// Finds the configuration to use for a workload: the best recorded one, that of the nearest shape, or the template's
// default.
//
//   TuningLog log = TuningLog::open("nestwright.db", OpenMode::kRead);
//   const Lookup found = look_up(Task{parse_workload("matmul m=512 n=512 k=512"), Target::host()}, &log);
//   found.match, found.config, found.record->timing.median_ns
//
// Thread rule: one thread at a time per log; a TaskContext may be used by any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nestwright/database.h"
#include "nestwright/template.h"

#pragma GCC visibility push(default)

namespace nestwright {

/// A task with everything that follows from it: made where a workload is handed over, by the command line or a caller,
/// and passed down, so that nothing of a task is resolved twice. Copies share what was resolved.
class TaskContext {
 public:
  /// Resolves nothing yet: each member function does so when it is first called. Implicit, because whoever has only a
  /// task may hand it over in the place of its context. Requires a parsed workload.
  TaskContext(Task task);  // NOLINT(google-explicit-constructor)

  const Task& task() const;
  const Workload& workload() const { return task().workload; }
  const Target& target() const { return task().target; }
  const Definition& definition() const { return *workload().definition; }

  /// The key in the log. Throws CompileError if this build does not have a backend for the target.
  const TaskKey& key() const;
  /// The provenance of records that are made here.
  const RecordProvenance& provenance() const;

  /// The templates that serve the task, or of these the one named `only`. Throws UsageError that says why if there is
  /// none.
  std::vector<const Template*> templates(std::string_view only = {}) const;
  /// The templates of the operator for this kind of device, whatever workloads they serve: a record of another one is
  /// not usable.
  const std::vector<TemplateVersion>& usable_templates() const;
  /// The space of a template of templates().
  const ConfigSpace& space(const Template& of) const;
  /// The seeds of a template of templates(), best guess first.
  const std::vector<Config>& seeds(const Template& of) const;

 private:
  struct Resolved;

  std::shared_ptr<Resolved> resolved_;
};

/// The configuration for a task, and where it comes from.
struct Lookup {
  MatchKind match = MatchKind::kDefault;
  const Template* source = nullptr;  ///< of the task's operator, and lives as long
  Config config;
  std::optional<BestRecord> record;  ///< absent for kDefault
  std::string why_default;           ///< kDefault: why no record can be used, one clause
  std::string hint;                  ///< why the record is only a hint; empty: it is current, or there is none
};

/// Looks up a task. If `log` is null, the result is the default, the first seed of a template that can be lowered. Only
/// records of the task's target and state of the caches count, those of this machine before those of others, and only
/// of the template named `only` if it is not empty. Throws UsageError if there is no template with a legal schedule,
/// LogError, and what lowering throws where no seed can be lowered.
Lookup look_up(const TaskContext& context, const TuningLog* log, std::string_view only = {});

/// Returns the configuration of the recorded trial with this number; the match is kExact or kOtherMachine. Absent if
/// the log has no such trial. Throws UsageError if the trial failed, has another workload or target, or is not a valid
/// configuration of a template of this build, and then names the plugins of the record that are not loaded.
std::optional<Lookup> look_up_trial(const TaskContext& context, const TuningLog& log, TrialId trial);

/// Returns the program of a configuration, in loop form. Throws ScheduleError, LowerError, UsageError.
ir::Program program_of(const Task& task, const Template& source, const Config& config, const std::string& name);

}  // namespace nestwright

#pragma GCC visibility pop
