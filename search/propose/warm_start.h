// Uses trials of other shapes for a new task: as training data for the model, and as starting points.
// Thread rule: one thread; lowers on all cores.
#pragma once

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
/// `columns` are those of the task's own features. There is no training data where the ranker would give it no weight
/// beside `own_trials` of the task.
WarmStart warm_start(const TuningLog& log, const TaskKey& key, const SearchSpace& space, const KnobColumns& columns,
                     const std::vector<TemplateVersion>& versions, std::size_t own_trials);

}  // namespace nestwright
