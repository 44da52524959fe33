#include "search/budget/expected_times.h"

namespace nestwright {

std::vector<double> expected_times(std::span<const double> estimated_ns, std::span<const double> best_ns) {
  double estimated = 0, best = 0;
  for (std::size_t i = 0; i < best_ns.size(); ++i) {
    if (best_ns[i] <= 0) continue;
    estimated += estimated_ns[i];
    best += best_ns[i];
  }
  const double correction = best > 0 ? best / estimated : 1;
  std::vector<double> times;
  for (std::size_t i = 0; i < best_ns.size(); ++i) {
    times.push_back(best_ns[i] > 0 ? best_ns[i] : correction * estimated_ns[i]);
  }
  return times;
}

}  // namespace nestwright
