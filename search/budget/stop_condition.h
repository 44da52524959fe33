// Decides when a session ends. A budget applies to this run only, not to trials of earlier runs.
// Thread rule: one thread at a time, except for the interrupt flag.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nestwright/tune.h"
#include "search/budget/remaining_gain.h"
#include "support/base/clock.h"

namespace nestwright {

class StopCondition {
 public:
  /// No gain is estimated before this number of trials of each template that is searched.
  static constexpr std::int64_t kMinTrials = 64;
  /// A run whose first trials, so many of them, all fail is over where nothing right is known: as a rule the machine,
  /// the compiler or the operator is at fault, and not the configurations.
  static constexpr std::int64_t kMaxFailures = 64;

  /// Starts the time. `interrupt` may be null.
  StopCondition(const Budget& budget, Clock& clock, const std::atomic<bool>* interrupt);

  /// Counts a recorded trial; `improved` is true for a new best, the first one included.
  void count_trial(bool improved);
  /// Records that a trial of the task was right, in this run or before, whether or not its time counts.
  void note_right() { has_right_ = true; }
  /// Whether the first kMaxFailures trials all failed, and nothing right was known before.
  bool all_failed() const { return !has_best_ && !has_right_ && trials_ >= kMaxFailures; }
  /// Records that there is a best, found without a new trial: an earlier one, or one that was measured again.
  void note_best();
  /// Records that a new incumbent is `ratio` times as fast as the old one, measured side by side.
  void note_improvement(double ratio);
  /// Sets the outlook after a batch. Without one, the remaining gain is not estimated.
  void set_outlook(const SearchOutlook& outlook) { outlook_ = outlook; }
  const std::optional<SearchOutlook>& outlook() const { return outlook_; }
  /// The expected gain of as much time again (search/budget/remaining_gain.h); nullopt before there is a best and an
  /// outlook without untried starting points, and before kMinTrials trials of each template.
  std::optional<double> remaining_gain() const;
  /// The number of trials, up to `wanted`, that the budget still allows.
  std::int64_t allowed(std::int64_t wanted) const;
  /// Why the search is over, for people to read; empty while it goes on. Reserves `reserve_s` seconds of the budget for
  /// the final races.
  std::string reason(double reserve_s) const;
  bool is_interrupted() const { return interrupt_ != nullptr && interrupt_->load(std::memory_order_relaxed); }

  std::int64_t trials() const { return trials_; }
  double seconds() const;
  /// Replaces the budget: that many more trials and seconds; 0: no limit.
  void limit(std::int64_t trials, double seconds);
  const Budget& budget() const { return budget_; }

 private:
  /// Why the remaining gain is too small; empty while it is not or is unknown.
  std::string reason_of_gain() const;

  Budget budget_;
  Clock& clock_;
  const std::atomic<bool>* interrupt_;
  std::int64_t start_ns_;
  std::int64_t trials_ = 0, since_better_ = 0;
  bool has_best_ = false, has_right_ = false;
  std::vector<Improvement> improvements_;
  std::optional<SearchOutlook> outlook_;
};

}  // namespace nestwright
