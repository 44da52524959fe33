// When a session ends. Budgets count this run only, not what earlier runs recorded.
// Thread rule: one thread at a time, but for the interrupt flag.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "support/clock.h"

namespace nestwright {

struct Budget {
  std::int64_t trials = 0;      ///< 0: no limit
  double seconds = 0;           ///< 0: no limit; start-up and the final race included
  std::int64_t early_stop = 0;  ///< ends after this many trials without a better one; 0: never
};

class StopCondition {
 public:
  /// The time runs from now. `interrupt` may be null.
  StopCondition(const Budget& budget, Clock& clock, const std::atomic<bool>* interrupt);

  /// One more trial was recorded.
  void count_trial(bool improved);
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
  Budget budget_;
  Clock& clock_;
  const std::atomic<bool>* interrupt_;
  std::int64_t start_ns_;
  std::int64_t trials_ = 0, since_better_ = 0;
};

}  // namespace nestwright
