// Uses trials of other shapes for a task: as training data for the model, and as starting points. Tasks that are tuned
// in turns learn from each other: a session reads them again whenever another shape has a new best.
// Thread rule: one thread at a time; lowers on all cores.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "cost_model/cost_model.h"
#include "cost_model/knob_columns.h"
#include "nestwright/database.h"
#include "search/space/search_space.h"

namespace nestwright {

struct WarmStart {
  std::vector<Observation> observations;  ///< throughput relative to the best of their own task
  std::vector<Point> points;  ///< the best points of other shapes, adapted to this task; nearest shape first
};

/// Collects trials from the log: of the same workload by another compiler, then of other shapes by the same one.
/// Threads, machine and conditions must be equal, and templates of the current versions (TuningLog::relatives).
class WarmStartReader {
 public:
  /// `columns` are those of the task's own features. All arguments but the key outlive the reader.
  WarmStartReader(const TuningLog& log, TaskKey key, const SearchSpace& space, const KnobColumns& columns,
                  const std::vector<TemplateVersion>& versions)
      : log_(log), key_(std::move(key)), space_(space), columns_(columns), versions_(versions) {}

  /// What is recorded now; nullopt where the other tasks and their bests are those of the last call. There is no
  /// training data where the ranker would give it no weight beside `own_trials` of the task. Throws LogError.
  std::optional<WarmStart> read(std::size_t own_trials);

 private:
  void add_observations(const RelatedTask& task, std::vector<Observation>& out);

  const TuningLog& log_;
  const TaskKey key_;
  const SearchSpace& space_;
  const KnobColumns& columns_;
  const std::vector<TemplateVersion>& versions_;
  std::optional<std::vector<TrialId>> bests_;  ///< of the other tasks, at the last call; nullopt: there was none
  std::map<TrialId, std::optional<Features>> features_;  ///< nullopt: the trial's point cannot be lowered
};

}  // namespace nestwright
