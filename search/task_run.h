// One task's search in steps, and what came of it: what a single run drives to its end, and what many tasks on one
// budget take turns with. Thread rule: one thread at a time. Units stand in the names.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "logs/record.h"

namespace nestwright {

/// Where the time of a session went, in nanoseconds of wall time.
struct StageTimes {
  std::int64_t start_up = 0, propose = 0, features = 0, train = 0, lower = 0, compile = 0, check = 0, measure = 0,
               log = 0, race = 0;

  StageTimes& operator+=(const StageTimes& other);
};

struct SessionResult {
  std::optional<BestRecord> best;  ///< the task's best after this session; nullopt: no valid candidate was ever found
  /// The template's default, timed in the same race; nullopt where there was no race.
  std::optional<Timing> default_timing;
  std::int64_t trials = 0;          ///< of this run
  std::int64_t same_code = 0;       ///< of them: not measured, as their machine code had been
  std::int64_t earlier_trials = 0;  ///< that were recorded before it
  std::map<Outcome, std::int64_t> outcomes;
  std::int64_t disturbed = 0, remeasured = 0;  ///< timed while the machine was disturbed; of them: measured again
  std::string race_disturbance;                ///< why the final race replaced nothing; empty: it was not disturbed
  std::string first_failure;                   ///< message of the first trial that was not ok
  double seconds = 0;
  double seconds_to_best = 0;  ///< when the best of this run was first measured
  std::string stop_reason;
  bool interrupted = false;
  std::optional<double> model_audit;
  StageTimes times;
};

class TaskRun {
 public:
  virtual ~TaskRun() = default;
  /// Measures a batch. False where the search is over.
  virtual bool step() = 0;
  /// The budget from now on: that many more trials, and that many more seconds of its own time, what finish() takes
  /// included; 0: no limit.
  virtual void limit(std::int64_t trials, double seconds) = 0;
  /// Tells the best apart and ends the run.
  virtual SessionResult finish() = 0;

  /// Of this run; best and default_timing are not there before finish().
  virtual const SessionResult& so_far() const = 0;
  virtual double best_ns() const = 0;       ///< the fastest right candidate that this run timed; 0: none yet
  virtual double seconds() const = 0;       ///< that it worked
  virtual double race_seconds() const = 0;  ///< what finish() will take, estimated
};

}  // namespace nestwright
