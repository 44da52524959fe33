// Runs a tuning session between its first step and its end: proposes, compiles, measures and records batches, keeps the
// reference kernel, and holds the final race. Private to search/session/. Thread rule: one thread at a time,
// except for the interrupt flag.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/budget/active_clock.h"
#include "search/budget/stop_condition.h"
#include "search/propose/ranker.h"
#include "search/propose/strategy.h"
#include "search/propose/warm_start.h"
#include "search/race/final_race.h"
#include "search/session/chunk.h"
#include "search/session/disturbed_trials.h"
#include "search/session/part_trials.h"
#include "search/session/session.h"
#include "search/session/task_history.h"
#include "search/task/candidate.h"
#include "search/trials/session_trials.h"
#include "search/trials/tools.h"
#include "support/base/caught_message.h"
#include "support/os/machine_lock.h"

namespace nestwright {

/// TuningSession, whose functions call those of the same names.
class SessionLoop {
 public:
  SessionLoop(const TaskContext& context, TuningLog& log, const SessionOptions& options,
              const std::atomic<bool>* interrupt, ProgressFunction progress);

  bool step();

  SessionResult finish(double seconds, double interrupted_s);

  double finish_seconds() const;

  StopCondition& stop() { return stop_; }
  const SessionResult& so_far() {
    result_.times = tools_.times;
    return result_;
  }
  double best_ns() const { return trials_.incumbent_ns(); }
  /// Seconds that the end of the session takes.
  double reserve_s() const { return tools_.race_plan(best_ns()).seconds + parts_.reserve_s(best_ns()); }

 private:
  /// Runs the clock while the members declared after it are constructed, which takes long where tensors are large.
  class StartUp {
   public:
    StartUp(ActiveClock& clock, const ProgressFunction& progress, double seconds) {
      scope_.emplace(clock);
      if (progress) progress({.seconds_left = seconds, .phase = "preparing"});
    }
    void end() { scope_.reset(); }

   private:
    std::optional<ActiveClock::Scope> scope_;
  };

  template <class Function>
  bool guarded(const Function& function) {
    try {
      return function();
    } catch (...) {
      if (tools_.id != 0) tools_.log.end_session(tools_.id, SessionStatus::kFailed, caught_message());
      throw;
    }
  }

  /// Waits until no other process times or compiles. Calls `give_up` every 10 ms.
  MachineLock::Hold lock_machine(const std::function<bool()>& give_up);

  bool is_past_budget() const;

  /// The seconds after which a kernel is not waited for any more. The first one is, as long as there is no answer.
  double hard_seconds_left() const;

  bool advance();

  void start();

  /// Says so where the first trial alone is expected to take longer than the budget.
  void announce_first_trial() const;

  /// Gives the strategy and its model what other tasks have found since the last call.
  void learn_from_relatives();

  std::string stop_reason();

  /// Whether no candidate was measured and none is known, so that the first one is measured even if the time is over.
  bool needs_answer() const;
  bool goes_on() { return stop_reason().empty() || needs_answer(); }

  /// Tells whether the reference time is rough, of a kernel whose call is short enough to be timed again at once.
  bool has_rough_unit() const;

  /// Candidates between two checks of the budget.
  std::int64_t chunk_size();

  /// Proposes and measures the next batch. False where there is nothing left to propose.
  bool next_batch();

  std::string end_of_proposals() const;

  /// Records what the search has considered if nothing of it is recorded, or if it is `growth` times as much since.
  void record_considered(double growth);

  /// Points that are measured together, with their proposals.
  struct Candidates {
    std::vector<Point> points;
    std::vector<ProposalId> proposals;
  };

  /// Measures as much of a batch as the budget allows; the rest stays in the log as unfinished.
  void measure(const Batch& batch, std::vector<SessionTrial>* trials);

  /// Compiles the candidates and measures as many as the budget allows, those first that `ranker` expects to be fast.
  void measure(Candidates candidates, Ranker* ranker, std::span<std::optional<SessionTrial>> trials);

  /// Whether the code of candidate `i` is known, or will be once an earlier candidate from `first` on is recorded.
  bool is_known(const std::vector<BuiltPoint>& built, std::size_t first, std::size_t i) const;

  /// Records a trial. One without a measurement takes that of the trial with the same code.
  Measurement record(ProposalId proposal, const Point& point, const BuiltPoint& built,
                     const std::optional<Measurement>& measured, std::vector<TrialId>& recorded);

  void note_incumbent(const ChunkResult& chunk, std::span<const Point> points, std::span<const BuiltPoint> built,
                      std::span<const TrialId> recorded);
  void note_successor(double ratio);

  void measure_disturbed();

  /// Passes new labels of recorded trials on, and the speed of a new incumbent among them relative to the old one.
  void note_again(const std::optional<double>& ratio, std::span<const SessionTrial> amended);

  /// Confirms the trials that `take` returns.
  void confirm_parts(const std::function<std::optional<PartTrial>()>& take);

  void race(const FinalRaceLimits& limits);

  void conclude();

  /// Ends the races after `seconds`, and `interrupted_s` after an interruption.
  FinalRaceLimits race_limits(double seconds, double interrupted_s);

  void show_progress(const std::string& waiting_for, const std::string& phase = {},
                     const std::string& detail = {}) const;

  ActiveClock clock_;
  StopCondition stop_;  // its time starts here, so that it includes start-up
  const ProgressFunction progress_function_;
  const SessionOptions options_;
  StartUp start_up_;
  MachineLock lock_;
  SessionResult result_;
  const TaskContext context_;
  Tools tools_;
  SessionTrials trials_;
  TaskHistory history_;
  KnobColumns columns_;
  ConsideredCounter considered_;
  Ranker ranker_;
  WarmStartReader relatives_;
  std::size_t own_trials_ = 0;  ///< that the session started from
  std::unique_ptr<SearchStrategy> strategy_;
  DisturbedTrials disturbed_;
  PartTrials parts_;
  int incumbents_ = 0;
  std::optional<std::int64_t> considered_recorded_;  ///< considered_.total() when it was last recorded
  double races_end_s_ = 0;                           ///< set by race_limits(); 0: the search goes on
};

}  // namespace nestwright
