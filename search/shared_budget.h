// Many tasks on one budget: their sessions take turns, one batch a turn, as search/task_allocator.h decides. A task
// that fails does not stop the others. What was recorded is in the log after each trial, so that a run that is killed
// goes on where it was when it is started again. Thread rule: one thread; any thread may set the interrupt flag.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "search/task_run.h"
#include "support/clock.h"

namespace nestwright {

struct SharedTask {
  std::string name;                 ///< in messages and progress
  double weight = 1;                ///< of a relative gain
  double bytes = 0;                 ///< of memory while its session is open
  std::int64_t seeds = 1;           ///< trials that it gets before others get more than their own
  std::int64_t earlier_trials = 0;  ///< recorded before this run
  double earlier_seconds = 0;       ///< spent on them
  /// Opens a session. May throw Error.
  std::function<std::unique_ptr<TaskRun>()> open;
};

struct SharedBudget {
  std::int64_t trials = 0;  ///< of all tasks together; 0: no limit
  double seconds = 0;       ///< of everything, final races included; 0: no limit
  /// Of all sessions open at once: beyond, one is finished and opened again later; 0: no limit.
  double memory_bytes = 0;
  std::size_t open_sessions = 32;  ///< at once, likewise: each takes a process and six descriptors; 0: no limit
};

/// What came of one task.
struct TaskOutcome {
  SessionResult result;
  bool started = false;
  std::string failure;  ///< why it was given up, one sentence; empty where it was not
};

struct SharedProgress {
  std::size_t task = 0;                      ///< whose turn just ended
  std::int64_t trials = 0;                   ///< of all tasks
  double seconds = 0, seconds_left = 0;      ///< seconds_left is 0 without a budget in seconds
  double best_ns = 0;                        ///< of the task; 0: none yet
  std::map<Outcome, std::int64_t> outcomes;  ///< of all trials
};

/// One outcome a task, in order. Throws LogError: the database is all tasks'. `clock` is wall time.
std::vector<TaskOutcome> share_budget(const std::vector<SharedTask>& tasks, const SharedBudget& budget, Clock& clock,
                                      const std::atomic<bool>* interrupt = nullptr,
                                      const std::function<void(const SharedProgress&)>& progress = {});

}  // namespace nestwright
