#include "network/candidates.h"

#include <algorithm>

#include "graph/passes/passes.h"
#include "lookup/provenance.h"
#include "lookup/task_key.h"
#include "nestwright/error.h"
#include "nestwright/text_operator.h"
#include "network/identity.h"
#include "network/variant.h"

namespace nestwright {

NetworkKey network_key(const std::string& graph, const Target& target, CacheState caches) {
  return {graph, target.str(), machine_of(target), backend_here(target.str()), cache_state_name(caches)};
}

Graph kernels_of_joined(const Graph& joined, const Target& target, const TuningLog* log, CacheState caches) {
  if (log == nullptr) return named(joined);
  const std::string identity = identity_of(joined);
  const auto record = log->find_network_of(identity, network_key(identity, target, caches));
  if (!record) return named(joined);
  try {
    return kernels_of_variant(joined, record->variant);
  } catch (const UsageError&) {
    return named(joined);  // the record is of another version, which had other sites
  }
}

std::optional<Lookup> chosen_in_network(const NetworkRecord& record, const TaskContext& context, const Lookup& best,
                                        const TuningLog& log) {
  if (best.match != MatchKind::kExact || !best.record) return std::nullopt;
  const std::string best_key = best.record->point.key();
  for (const NetworkKernelChoice& kernel : record.kernels) {
    if (kernel.workload != context.key().workload.text || kernel.point.key() == best_key) continue;
    const bool is_compared = std::any_of(kernel.compared.begin(), kernel.compared.end(),
                                         [&](const Point& point) { return point.key() == best_key; });
    if (!is_compared) return std::nullopt;
    const std::optional<TrialId> trial = log.trial_of(context.key(), kernel.point);
    try {
      if (trial && log.may_be_best(*trial)) return look_up_trial(context, log, *trial);
    } catch (const UsageError&) {
      // it is no configuration of this build
    }
    return std::nullopt;
  }
  return std::nullopt;
}

std::vector<TaskCandidates> look_up_network(const Graph& graph, const Target& target, const TuningLog* log,
                                            CacheState caches) {
  std::optional<NetworkRecord> record;
  if (log != nullptr) record = log->find_network(network_key(identity_of(graph), target, caches));
  std::vector<TaskCandidates> found;
  for (const NetworkTask& task : network_tasks(graph)) {
    const TaskContext context(Task{workload_of(task.workload), target, caches});
    Lookup best = look_up(context, log);
    std::optional<Lookup> chosen;
    if (record) chosen = chosen_in_network(*record, context, best, *log);
    found.push_back({context, {chosen ? std::move(*chosen) : std::move(best)}});
  }
  return found;
}

}  // namespace nestwright
