// The queue of trials that were timed while the machine was disturbed, to be measured again. Private to search/.
// Thread rule: one thread at a time.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "search/trials/session_trials.h"
#include "search/trials/tools.h"

namespace nestwright {

/// Trials with their kernels, in the same order.
struct KeptTrials {
  std::vector<SessionTrial> trials;
  std::vector<BuiltPoint> kernels;
};

class DisturbedTrials {
 public:
  /// Beyond kMaxKept trials, the slowest is dropped.
  void add(const SessionTrial& trial, const BuiltPoint& kernel);

  /// Removes and returns the `n` trials that seem fastest, each for one more measurement. Drops trials whose machine
  /// code has an undisturbed measurement by now.
  KeptTrials take(std::size_t n, const KnownCode& known_code);

 private:
  static constexpr std::size_t kMaxKept = 64;  // bounds the compiled kernels in memory

  KeptTrials kept_;  ///< by increasing time
};

/// The result of measuring trials again.
struct MeasuredAgain {
  std::vector<std::pair<std::size_t, Measurement>> trials;  ///< those with a new measurement, by index
  std::optional<double> ratio;  ///< speed of a new incumbent relative to the old one; nullopt where it stays
};

/// Times the trials again and records what is not disturbed now, except what another session has measured meanwhile.
MeasuredAgain measure_again(SessionTrials& trials, Tools& tools, const KeptTrials& again,
                            const std::function<bool()>& is_over = {});

}  // namespace nestwright
