// A task with everything that follows from it: made where a workload is handed over, by the command line or a caller,
// and passed down, so that nothing of a task is resolved twice.
// Thread rule: any thread; copies share what was resolved.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "logs/record.h"
#include "templates/framework/template/template.h"

namespace nestwright {

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

}  // namespace nestwright
