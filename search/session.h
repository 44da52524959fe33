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
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "logs/tuning_log.h"
#include "search/effort.h"
#include "search/stop_condition.h"
#include "search/task_run.h"
#include "target/machine_limits.h"
#include "templates/framework/workload.h"

namespace nestwright {

class Builder;

struct SessionOptions {
  Budget budget;
  Effort effort = Effort::kNormal;  ///< how sure the final race has to be; the budget says how long the search takes
  std::string strategy = "evolutionary";
  std::string cost_model = "xgboost";
  std::string template_name;  ///< of the only template that is searched, and of which the result is; empty: all
  std::uint64_t seed = 1;
  int batch_size = 16;
  int finalists = 4;                 ///< that enter the final race, the default and the stored best not counted
  double race_seconds = 0;           ///< that the races at the end may take; 0: a share of the budget's seconds
  int builders = 0;                  ///< builder processes; 0: one a core
  std::shared_ptr<Builder> builder;  ///< for the task's target, shared with other sessions; null: one of its own
  /// Measures the highest rates of so many threads of this machine. Empty: takes 40 ms for it.
  std::function<MachineLimits(int threads)> measure_limits;
};

/// What a progress line shows; handed out after every few trials.
struct Progress {
  std::int64_t trials = 0;
  std::map<Outcome, std::int64_t> outcomes;
  double best_ns = 0;  ///< 0: none yet
  double seconds = 0;
  double seconds_left = 0;     ///< of the budget; 0 without one
  std::int64_t disturbed = 0;  ///< trials of this run that still have to be measured again
  std::string waiting_for;     ///< what the run waits for just now; empty: it does not
};

using ProgressFunction = std::function<void(const Progress&)>;

/// What a session without a builder makes for itself. Throws Error where the workers do not start.
std::shared_ptr<Builder> make_session_builder(const Target& target, const SessionOptions& options);

/// A session in steps, so that several can take turns: its time runs while it works, and stands still else. One that is
/// not finished stays in the log as running until its process ends, and the next one of its task goes on where it was.
class TuningSession final : public TaskRun {
 public:
  /// Starts the workers. Records every trial in `log`, which outlives it. Throws LogError, UsageError (unknown strategy
  /// or model, no template), Error (a worker that does not start). Requires a target that this machine can run.
  TuningSession(const Task& task, TuningLog& log, const SessionOptions& options,
                const std::atomic<bool>* interrupt = nullptr, const ProgressFunction& progress = {});
  ~TuningSession() override;

  /// Measures a batch; what an earlier session of the task left unfinished comes first. False where the search is over.
  /// Throws LogError, Error, InternalError; the session is then over and marked as failed.
  bool step() override;
  /// The budget from now on, whatever it was: that many more trials, and that many more seconds of its own, the final
  /// race included; 0: no limit.
  void limit(std::int64_t trials, double seconds) override;
  /// Holds the final race, unless it was interrupted, and ends the session.
  SessionResult finish() override;

  /// Of this run; best and default_timing are not there before finish().
  const SessionResult& so_far() const override;
  double best_ns() const override;
  double seconds() const override;
  double race_seconds() const override;

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

/// Tunes `task` and records every trial in `log`. Goes on where earlier runs of the task ended. Throws as TuningSession
/// does.
SessionResult run_session(const Task& task, TuningLog& log, const SessionOptions& options,
                          const std::atomic<bool>* interrupt = nullptr, const ProgressFunction& progress = {});

}  // namespace nestwright
