// What earlier trials of other shapes say about a task: lessons for the model, and points to begin with.
// Thread rule: one thread; lowers on all cores.
#pragma once

#include <vector>

#include "cost_model/cost_model.h"
#include "logs/tuning_log.h"
#include "search/search_space.h"

namespace nestwright {

struct WarmStart {
  std::vector<Observation> lessons;  ///< throughput relative to the best of their own task
  std::vector<Point> points;         ///< of this task: the bests of the others, made to fit; the nearest shape first
};

/// From what the log has of other shapes on the same target: threads, machine, compiler and conditions must be equal,
/// templates of the present versions (TuningLog::relatives). `columns` are those of the task's own features. There are
/// no lessons where the ranker gives them no weight beside `own_trials` of the task.
WarmStart warm_start(const TuningLog& log, const TaskKey& key, const SearchSpace& space, const KnobColumns& columns,
                     const std::vector<TemplateVersion>& versions, std::size_t own_trials);

}  // namespace nestwright
