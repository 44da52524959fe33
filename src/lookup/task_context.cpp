#include "nestwright/lookup.h"

#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "lookup/provenance.h"
#include "lookup/task_key.h"
#include "templates/framework/space/completion.h"

namespace nestwright {

struct TaskContext::Resolved {
  explicit Resolved(Task of) : task(std::move(of)) {}

  const Task task;
  std::mutex mutex;  ///< guards what follows. Discovery calls templates, which see no context.
  std::optional<TaskKey> key;
  std::optional<RecordProvenance> provenance;
  std::optional<std::vector<TemplateVersion>> usable_templates;
  std::map<const Template*, ConfigSpace> spaces;
  std::map<const Template*, std::vector<Config>> seeds;
};

TaskContext::TaskContext(Task task) : resolved_(std::make_shared<Resolved>(std::move(task))) {}

const Task& TaskContext::task() const { return resolved_->task; }

const TaskKey& TaskContext::key() const {
  const std::lock_guard lock(resolved_->mutex);
  if (!resolved_->key) resolved_->key = task_key(task());
  return *resolved_->key;
}

const RecordProvenance& TaskContext::provenance() const {
  const std::lock_guard lock(resolved_->mutex);
  if (!resolved_->provenance) resolved_->provenance = current_provenance(workload().op.get());
  return *resolved_->provenance;
}

std::vector<const Template*> TaskContext::templates(std::string_view only) const {
  return templates_for(workload(), target(), only);
}

const std::vector<TemplateVersion>& TaskContext::usable_templates() const {
  const std::lock_guard lock(resolved_->mutex);
  if (resolved_->usable_templates) return *resolved_->usable_templates;
  std::vector<TemplateVersion>& versions = resolved_->usable_templates.emplace();
  for (const Template* t : templates_for(*workload().op, target().device)) versions.push_back({t->name, t->version});
  return versions;
}

const ConfigSpace& TaskContext::space(const Template& of) const {
  const std::lock_guard lock(resolved_->mutex);
  const auto known = resolved_->spaces.find(&of);
  if (known != resolved_->spaces.end()) return known->second;
  return resolved_->spaces.emplace(&of, discover_space(of, workload(), target())).first->second;
}

const std::vector<Config>& TaskContext::seeds(const Template& of) const {
  const std::lock_guard lock(resolved_->mutex);
  const auto known = resolved_->seeds.find(&of);
  if (known != resolved_->seeds.end()) return known->second;
  return resolved_->seeds.emplace(&of, seeds_of(of, workload(), target())).first->second;
}

}  // namespace nestwright
