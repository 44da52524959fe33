// Trials that were timed while something disturbed the machine, to be measured again when there is time. Private to
// search/. Thread rule: one thread at a time.
#pragma once

#include <algorithm>
#include <vector>

#include "search/session_state.h"

namespace nestwright {

struct DisturbedTrial {
  TrialId trial = 0;
  Point point;
  BuiltPoint built;
  double rough_ns = 0;  ///< by the disturbed timing
};

class DisturbedTrials {
 public:
  void add(DisturbedTrial trial) {
    trials_.push_back(std::move(trial));
    std::stable_sort(trials_.begin(), trials_.end(),
                     [](const DisturbedTrial& a, const DisturbedTrial& b) { return a.rough_ns < b.rough_ns; });
    if (trials_.size() > kMaxKept) trials_.pop_back();
  }

  /// Removes and returns the `n` that seem to be the fastest; each is given one more chance. Those whose code another
  /// trial, undisturbed, has measured meanwhile are dropped.
  std::vector<DisturbedTrial> take(std::size_t n, const KnownCode& known_code) {
    std::erase_if(trials_, [&](const DisturbedTrial& trial) {
      const KnownCode::Known* known = known_code.find(trial.built.result.object.code_fingerprint);
      return known != nullptr && !known->measurement.timing.is_disturbed();
    });
    const auto end = trials_.begin() + static_cast<std::ptrdiff_t>(std::min(n, trials_.size()));
    std::vector<DisturbedTrial> taken(std::make_move_iterator(trials_.begin()), std::make_move_iterator(end));
    trials_.erase(trials_.begin(), end);
    return taken;
  }

 private:
  static constexpr std::size_t kMaxKept = 64;  // compiled kernels that are held

  std::vector<DisturbedTrial> trials_;
};

}  // namespace nestwright
