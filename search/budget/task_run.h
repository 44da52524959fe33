// The interface of a task's search in steps, and its result. A single run drives it to its end; several on one budget
// take turns. Thread rule: one thread at a time. Names state the units.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "cost_model/model_audit.h"
#include "logs/record.h"

namespace nestwright {

/// Wall time of the stages of a session, in nanoseconds.
struct StageTimes {
  std::int64_t start_up = 0, propose = 0, features = 0, train = 0, lower = 0, compile = 0, check = 0, measure = 0,
               log = 0, race = 0;

  StageTimes& operator+=(const StageTimes& other);
};

/// The result of a run of a session.
struct SessionResult {
  std::optional<BestRecord> best;  ///< the task's best after this session; nullopt: no valid candidate exists
  /// The template's default, timed in the final race; nullopt where there was no race.
  std::optional<Timing> default_timing;
  std::int64_t trials = 0;          ///< of this run
  std::int64_t same_code = 0;       ///< trials of this run that were not measured because their machine code was known
  std::int64_t earlier_trials = 0;  ///< recorded before this run
  std::map<Outcome, std::int64_t> outcomes;
  std::int64_t disturbed = 0, remeasured = 0;  ///< timed on a disturbed machine; of these, measured again
  std::string race_disturbance;                ///< why the final race replaced nothing; empty: it was not disturbed
  std::string first_failure;                   ///< message of the first trial that failed
  double seconds = 0;
  double seconds_to_best = 0;  ///< when the best of this run was first measured
  std::string stop_reason;
  bool interrupted = false;
  std::optional<ModelAudit> model_audit;  ///< the last one
  StageTimes times;
};

/// For what is left to do after an interruption, so that the process ends within 2 s.
inline constexpr double kInterruptedFinish_s = 1.4;

/// A session that is run step by step.
class TaskRun {
 public:
  virtual ~TaskRun() = default;
  /// Measures a batch. False where the search is over.
  virtual bool step() = 0;
  /// Replaces the budget: that many more trials, and that many more seconds of its own time, including finish(); 0: no
  /// limit.
  virtual void limit(std::int64_t trials, double seconds) = 0;
  /// Determines the best and ends the run, within about `seconds` (0 and less: at once, without a final race), or
  /// about `interrupted_s` seconds after an interruption.
  virtual SessionResult finish_within(double seconds, double interrupted_s) = 0;
  /// The same within what is left of the run's own budget.
  SessionResult finish() { return finish_within(finish_seconds(), kInterruptedFinish_s); }

  /// The result of this run so far; best and default_timing are absent before finish().
  virtual const SessionResult& so_far() const = 0;
  virtual double best_ns() const = 0;         ///< of the fastest correct candidate timed in this run; 0: none yet
  virtual double seconds() const = 0;         ///< that the run has used
  virtual double race_seconds() const = 0;    ///< estimated duration of finish()
  virtual double finish_seconds() const = 0;  ///< that the run's own budget leaves for finish(); infinity: no limit
};

}  // namespace nestwright
