// The tuning session: the loop over strategy, lowering, builders, runner, cost model and log. Each step proposes a
// batch, commits it to the log, lowers, builds, checks and times its points, records each of them durably, and reports
// the results to the strategy. The session ends with an interleaved race of its finalists, the template's default and
// the stored best.
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

#include "nestwright/database.h"
#include "nestwright/lookup.h"
#include "nestwright/tune.h"
#include "nestwright/workload.h"
#include "search/budget/task_run.h"

namespace nestwright {

class SessionLoop;

/// A session that is run in steps, so that several can be interleaved; its clock runs only during its calls. A session
/// that is not finished stays in the log as running until its process ends, and the next session of its task resumes
/// it.
class TuningSession final : public TaskRun {
 public:
  /// Starts the workers. Records every trial in `log`, which outlives the session. Throws LogError, UsageError (unknown
  /// strategy or model, no template) and Error (a worker does not start). Requires a target that this machine can run.
  TuningSession(const TaskContext& context, TuningLog& log, const SessionOptions& options,
                const std::atomic<bool>* interrupt = nullptr, const ProgressFunction& progress = {});
  ~TuningSession() override;

  /// Measures one batch; a batch that an earlier session left unfinished comes first. False where the search is over.
  /// Throws LogError, Error, InternalError; the session is then over and marked as failed.
  bool step() override;
  /// Replaces the budget: that many more trials, and that many more seconds of the session's own time, including the
  /// final race; 0: no limit.
  void limit(std::int64_t trials, double seconds) override;
  /// Holds the final race, which an interruption shortens, and ends the session.
  SessionResult finish_within(double seconds, double interrupted_s) override;

  /// The result of this run so far; best and default_timing are absent before finish().
  const SessionResult& so_far() const override;
  double best_ns() const override;
  double seconds() const override;
  double race_seconds() const override;
  double finish_seconds() const override;
  const std::optional<SearchOutlook>& outlook() const override;
  std::optional<double> remaining_gain() const override;

 private:
  std::unique_ptr<SessionLoop> loop_;
};

}  // namespace nestwright
