// Tunes many tasks on one budget: their sessions take turns of one batch each, in the order that
// search/budget/task_allocator.h decides. A task that fails does not stop the others. Every trial is in the log once it
// is recorded, so that a run that was killed resumes when it is started again. Thread rule: one thread; any thread may
// set the interrupt flag.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "nestwright/tune.h"
#include "search/budget/task_run.h"
#include "support/base/clock.h"

namespace nestwright {

struct SharedTask {
  std::string name;                 ///< for messages and progress
  double weight = 1;                ///< as the objective says
  bool is_alternative = false;      ///< ListedTask::is_alternative
  double estimated_ns = 1;          ///< of a call: above 0; only ratios to those of other tasks count
  double known_ns = 0;              ///< the best of earlier runs; 0: none
  double bytes = 0;                 ///< of memory that its session takes while open
  std::int64_t seeds = 1;           ///< configurations that are good guesses; in a search, its outlook counts instead
  std::int64_t earlier_trials = 0;  ///< recorded before this run
  double earlier_seconds = 0;       ///< spent on these
  /// Opens a session. May throw Error.
  std::function<std::unique_ptr<TaskRun>()> open;
};

struct SharedBudget {
  ListObjective objective = ListObjective::kRelativeTimes;
  double until_gain = 0;    ///< Budget::until_gain, of the tasks as a whole; 0: never
  std::int64_t trials = 0;  ///< of all tasks together; 0: no limit
  /// For everything, final races included, which may exceed it by 4%; 0: no limit. Races share what is left in the
  /// ratio of their estimated durations; one that does not get its time ends with fewer processes.
  double seconds = 0;
  /// Limit for all open sessions together; a session beyond it is finished and opened again later. 0: no limit.
  double memory_bytes = 0;
  std::size_t open_sessions = 32;  ///< the same for their number: each has a process and six descriptors; 0: no limit
};

/// Returns one outcome for each task, in order. Throws LogError, as all tasks share the database. `clock` is wall time.
std::vector<TaskOutcome> share_budget(const std::vector<SharedTask>& tasks, const SharedBudget& budget, Clock& clock,
                                      const std::atomic<bool>* interrupt = nullptr,
                                      const std::function<void(const SharedProgress&)>& progress = {});

}  // namespace nestwright
