// The tuning session: the loop over strategy, lowering, builders, runner, cost model and log. It proposes a batch,
// commits it to the log, lowers, builds, checks and times its points, records each durably, and tells the strategy. It
// ends with an interleaved race of its finalists, the template's default and the stored best.
//
//   strategy --propose--> log --commit--> lower --> Builder --> Runner --measurement--> log --record--> strategy
//
// Thread rule: one thread runs a session; any thread may set the interrupt flag.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "logs/tuning_log.h"
#include "search/stop_condition.h"
#include "templates/workload.h"

namespace nestwright {

struct SessionOptions {
  Budget budget;
  std::string strategy = "evolutionary";
  std::string cost_model = "xgboost";
  std::uint64_t seed = 1;
  int batch_size = 16;
  int finalists = 6;  ///< that enter the final race, the default and the stored best not counted
  int builders = 0;   ///< builder processes; 0: one a core
};

/// Where the time of a session went, in nanoseconds of wall time.
struct StageTimes {
  std::int64_t start_up = 0, propose = 0, features = 0, train = 0, lower = 0, compile = 0, check = 0, measure = 0,
               log = 0, race = 0;
};

/// What a progress line shows; handed out after every few trials.
struct Progress {
  std::int64_t trials = 0;
  std::map<Outcome, std::int64_t> outcomes;
  double best_ns = 0;  ///< 0: none yet
  double best_gflops = 0;
  double seconds = 0;
  double seconds_left = 0;  ///< of the budget; 0 without one
};

struct SessionResult {
  std::optional<BestRecord> best;  ///< the task's best after this session; nullopt: no valid candidate was ever found
  /// The template's default, timed in the same race; nullopt where there was no race.
  std::optional<Timing> default_timing;
  std::int64_t trials = 0;          ///< of this run
  std::int64_t earlier_trials = 0;  ///< that were recorded before it
  std::map<Outcome, std::int64_t> outcomes;
  std::string first_failure;  ///< message of the first trial that was not ok
  double seconds = 0;
  double seconds_to_best = 0;  ///< when the best of this run was first measured
  std::string stop_reason;
  bool interrupted = false;
  std::optional<double> model_audit;
  StageTimes times;
};

using ProgressFunction = std::function<void(const Progress&)>;

/// Tunes `task` and records every trial in `log`. Goes on where earlier runs of the task ended. Throws LogError,
/// UsageError (unknown strategy or model), InternalError. Requires a target that this machine can run.
SessionResult run_session(const Task& task, TuningLog& log, const SessionOptions& options,
                          const std::atomic<bool>* interrupt = nullptr, const ProgressFunction& progress = {});

}  // namespace nestwright
