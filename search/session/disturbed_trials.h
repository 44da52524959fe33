// The queue of trials that were timed while the machine was disturbed, to be measured again. Private to search/.
// Thread rule: one thread at a time.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "search/trials/session_state.h"

namespace nestwright {

struct DisturbedTrial {
  TrialId trial = 0;
  Point point;
  BuiltPoint built;
  double rough_ns = 0;  ///< the disturbed median
};

class DisturbedTrials {
 public:
  /// Beyond kMaxKept trials, the slowest is dropped.
  void add(DisturbedTrial trial) {
    trials_.push_back(std::move(trial));
    std::stable_sort(trials_.begin(), trials_.end(),
                     [](const DisturbedTrial& a, const DisturbedTrial& b) { return a.rough_ns < b.rough_ns; });
    if (trials_.size() > kMaxKept) trials_.pop_back();
  }

  /// Removes and returns the `n` trials that seem fastest, each for one more measurement. Drops trials whose machine
  /// code has an undisturbed measurement by now.
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
  static constexpr std::size_t kMaxKept = 64;  // bounds the compiled kernels in memory

  std::vector<DisturbedTrial> trials_;
};

/// The result of measuring trials again.
struct MeasuredAgain {
  std::vector<std::pair<std::size_t, Measurement>> trials;  ///< those with a new measurement, by index
  std::optional<double> ratio;  ///< speed of a new incumbent relative to the old one; nullopt where it stays
};

/// Times the trials again and records what is not disturbed now, except what another session has measured meanwhile.
MeasuredAgain measure_again(SessionState& session, const std::vector<DisturbedTrial>& trials,
                            const std::function<bool()>& is_over = {});

}  // namespace nestwright
