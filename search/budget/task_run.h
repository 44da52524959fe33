// The interface of a task's search in steps. A single run drives it to its end; several on one budget
// take turns. Thread rule: one thread at a time. Names state the units.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "nestwright/tune.h"
#include "search/budget/remaining_gain.h"

namespace nestwright {

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
  /// After the last batch; nullopt before the first one.
  virtual const std::optional<SearchOutlook>& outlook() const = 0;
  /// The expected gain of as much time again, by the run's history and outlook; nullopt while it is too early to tell.
  virtual std::optional<double> remaining_gain() const = 0;
};

}  // namespace nestwright
