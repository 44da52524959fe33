#include "bench/support/timed_trials.h"

#include <algorithm>

namespace nestwright::bench {

double best_ns(std::span<const TimedTrial> trials) {
  double best = 0;
  for (const TimedTrial& trial : trials) {
    if (trial.counts && (best == 0 || trial.median_ns < best)) best = trial.median_ns;
  }
  return best;
}

double seconds_to_within(std::span<const TimedTrial> trials, double tolerance) {
  const double best = best_ns(trials);
  for (const TimedTrial& trial : trials) {
    if (trial.counts && trial.median_ns <= best * (1 + tolerance)) return trial.seconds;
  }
  return -1;
}

std::optional<int> trials_to_share(std::span<const TimedTrial> trials, double known_best_ns, double share) {
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (trials[i].counts && known_best_ns >= share * trials[i].median_ns) return static_cast<int>(i) + 1;
  }
  return std::nullopt;
}

std::optional<double> median_reached(std::vector<std::optional<int>> counts) {
  std::sort(counts.begin(), counts.end(),
            [](const std::optional<int>& a, const std::optional<int>& b) { return a && (!b || *a < *b); });
  const auto& low = counts[(counts.size() - 1) / 2];
  const auto& high = counts[counts.size() / 2];
  if (!low || !high) return std::nullopt;
  return (*low + *high) / 2.0;
}

}  // namespace nestwright::bench
