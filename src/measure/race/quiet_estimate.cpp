#include "measure/race/quiet_estimate.h"

#include <algorithm>
#include <vector>

namespace nestwright {
namespace {

constexpr double kTwentieth = 0.05;
constexpr double kBelow = 0.1;  // share by which the quiet time may be below the shortest reading

}  // namespace

MedianInterval quiet_estimate(std::span<const double> readings_ns) {
  if (readings_ns.empty()) return {};
  std::vector<double> sorted(readings_ns.begin(), readings_ns.end());
  std::sort(sorted.begin(), sorted.end());
  const auto last = static_cast<double>(sorted.size() - 1);
  return {sorted[static_cast<std::size_t>(kTwentieth * last)], (1 - kBelow) * sorted.front(),
          sorted[sorted.size() / 2]};
}

void estimate_unraced_time(Timing& timing) {
  constexpr double kFifth = 0.2, kAbove = 0.03;
  if (timing.is_disturbed() || timing.raw_ns.empty()) return;
  std::vector<double> sorted = timing.raw_ns;
  std::sort(sorted.begin(), sorted.end());
  timing.median_ns = sorted[static_cast<std::size_t>(kFifth * static_cast<double>(sorted.size() - 1))];
  timing.low_ns = std::min(timing.low_ns, (1 - kBelow) * sorted.front());
  timing.high_ns = std::max(timing.high_ns, (1 + kAbove) * sorted[sorted.size() / 2]);
}

void estimate_quiet_time(Timing& timing) {
  if (!timing.is_disturbed() || timing.raw_ns.empty()) return;
  const MedianInterval quiet = quiet_estimate(timing.raw_ns);
  timing.median_ns = quiet.median;
  timing.low_ns = quiet.low;
  timing.high_ns = quiet.high;
}

}  // namespace nestwright
