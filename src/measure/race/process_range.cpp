#include "measure/race/process_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "measure/race/timing.h"
#include "nestwright/error.h"

namespace nestwright {

namespace {

constexpr double kSlow = 0.05;              // relative to the median: less is not called slow
constexpr double kFarAbove = 4;             // in standard deviations, which the median absolute deviation estimates
constexpr double kDeviationOfMad = 1.4826;  // of a normal distribution whose median absolute deviation is 1
constexpr double kMinDeviation = 0.005;     // few processes may agree by chance
constexpr std::size_t kSlowShare = 4;       // at most one in so many is slow
constexpr double kMinHalfWidth = 0.01;
constexpr double kProcessesDiffer = 0.03;  // half-width of the range of one process

double median_of(std::vector<double> values) { return median_interval(values).median; }

std::vector<double> logs_of(std::span<const double> times) {
  std::vector<double> logs;
  for (const double time : times) {
    check(time > 0, "a time is positive");
    logs.push_back(std::log(time));
  }
  return logs;
}

/// The standard deviation of the values, by the median absolute deviation.
double robust_deviation(const std::vector<double>& values) {
  const double centre = median_of(values);
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - centre));
  return kDeviationOfMad * median_of(distances);
}

/// Which of the values, logarithms of times, are so far above the others that they belong to disturbed processes.
std::vector<bool> far_above(const std::vector<double>& logs) {
  const double deviation = std::max(robust_deviation(logs), kMinDeviation);
  const double limit = median_of(logs) + std::max(kFarAbove * deviation, std::log1p(kSlow));
  std::vector<bool> above;
  for (const double log : logs) above.push_back(log > limit);
  const auto count = static_cast<std::size_t>(std::count(above.begin(), above.end(), true));
  if (kSlowShare * count > logs.size()) above.assign(logs.size(), false);
  return above;
}

/// The 95% quantile of Student's t. Requires at least one degree of freedom.
double student_t95(std::size_t degrees) {
  constexpr std::array<double, 10> kQuantiles = {6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812};
  return degrees <= kQuantiles.size() ? kQuantiles[degrees - 1] : 1.645 + 1.66 / static_cast<double>(degrees);
}

}  // namespace

ProcessRange process_range(std::span<const double> medians) {
  ProcessRange range;
  if (medians.empty()) return range;
  range.processes = static_cast<int>(medians.size());
  const std::vector<double> logs = logs_of(medians);
  const std::vector<bool> is_slow = far_above(logs);
  std::vector<double> usual, slow;
  for (std::size_t i = 0; i < logs.size(); ++i) (is_slow[i] ? slow : usual).push_back(logs[i]);
  const double centre = median_of(usual);
  range.median = std::exp(centre);
  range.slow = static_cast<int>(slow.size());
  if (!slow.empty()) range.slow_ratio = std::exp(median_of(slow) - centre);

  const auto n = static_cast<double>(usual.size());
  double mean = 0, squares = 0;
  for (const double log : usual) mean += log / n;
  for (const double log : usual) squares += (log - mean) * (log - mean);
  double half = kProcessesDiffer;
  if (usual.size() > 1) half = student_t95(usual.size() - 1) * std::sqrt(squares / (n - 1) * (1 + 1 / n));
  range.low = std::exp(std::min(mean - half, centre - kMinHalfWidth));
  range.high = std::exp(std::max(mean + half, centre + kMinHalfWidth));
  return range;
}

std::string slow_text(const ProcessRange& range) {
  if (range.slow == 0) return {};
  return fmt::format("{} of {} processes took {:.{}f} times as long", range.slow, range.processes, range.slow_ratio,
                     range.slow_ratio < 1.1 ? 2 : 1);
}

double robust_scatter(std::span<const double> times) {
  constexpr std::size_t kEnough = 3;
  return times.size() < kEnough ? 0 : robust_deviation(logs_of(times));
}

std::set<int> slow_together(std::span<const std::map<int, double>> kernels) {
  std::map<int, std::vector<double>> shifts;  // of each process, by its kernels
  for (const std::map<int, double>& medians : kernels) {
    std::vector<double> logs;
    for (const auto& [process, median] : medians) {
      check(median > 0, "the median of a process is positive");
      logs.push_back(std::log(median));
    }
    const double centre = median_of(logs);
    for (const auto& [process, median] : medians) shifts[process].push_back(std::log(median) - centre);
  }
  std::vector<double> together;
  for (const auto& [process, of_kernels] : shifts) together.push_back(median_of(of_kernels));
  const std::vector<bool> is_slow = far_above(together);
  std::set<int> slow;
  std::size_t i = 0;
  for (const auto& [process, of_kernels] : shifts) {
    if (is_slow[i++]) slow.insert(process);
  }
  return slow;
}

}  // namespace nestwright
