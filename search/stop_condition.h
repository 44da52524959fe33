// When a session ends. Budgets count this run only, not what earlier runs recorded.
// Thread rule: one thread at a time, but for the interrupt flag.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "search/remaining_gain.h"
#include "support/clock.h"

namespace nestwright {

struct Budget {
  std::int64_t trials = 0;      ///< 0: no limit
  double seconds = 0;           ///< 0: no limit; start-up and the final race included
  std::int64_t early_stop = 0;  ///< ends after this many trials without a better one; 0: never
  /// Ends where as much time again is expected to gain less than this (0.01: 1%), but never before there is a best and
  /// the starting points are measured, nor in the first StopCondition::kMinTrials trials; 0: never.
  double until_gain = 0;
};

class StopCondition {
 public:
  /// Trials before which no gain is estimated.
  static constexpr std::int64_t kMinTrials = 64;

  /// The time runs from now. `interrupt` may be null.
  StopCondition(const Budget& budget, Clock& clock, const std::atomic<bool>* interrupt);

  /// One more trial was recorded; `improved`: it is the best so far, the first one included.
  void count_trial(bool improved);
  /// The incumbent gave way to one that is `ratio` times as fast (old time over new time, of readings side by side).
  void note_improvement(double ratio);
  /// What is to be expected from now on; to be told after each batch. Without it the gain is not estimated.
  void set_outlook(const SearchOutlook& outlook) { outlook_ = outlook; }
  /// How many of `wanted` trials the budget still allows.
  std::int64_t allowed(std::int64_t wanted) const;
  /// Why the search is over, for people; empty while it goes on. Keeps `reserve_s` seconds of the budget for what comes
  /// after.
  std::string reason(double reserve_s) const;
  bool interrupted() const { return interrupt_ != nullptr && interrupt_->load(std::memory_order_relaxed); }

  std::int64_t trials() const { return trials_; }
  double seconds() const;
  /// The budget from now on: that many more trials and seconds; 0: no limit.
  void limit(std::int64_t trials, double seconds);
  const Budget& budget() const { return budget_; }

 private:
  /// Why too little is still to be gained; empty while enough is, or while it is too soon to say.
  std::string reason_of_gain() const;

  Budget budget_;
  Clock& clock_;
  const std::atomic<bool>* interrupt_;
  std::int64_t start_ns_;
  std::int64_t trials_ = 0, since_better_ = 0;
  bool has_best_ = false;
  std::vector<Improvement> improvements_;
  std::optional<SearchOutlook> outlook_;
};

}  // namespace nestwright
