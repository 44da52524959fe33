#include "measure/race/timing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "nestwright/error.h"

namespace nestwright {

namespace {

double median_of_sorted(const std::vector<double>& sorted) {
  const std::size_t n = sorted.size();
  return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

// The rank, from 1, of the lower end of the median's 95% confidence interval among n ordered samples: the largest k
// with P(Binomial(n, 1/2) < k) <= 2.5%. 0 if no interval reaches 95%.
std::size_t lower_rank_of_median(std::size_t n) {
  double probability = std::pow(0.5, static_cast<double>(n));  // of exactly k successes
  double below = 0;
  std::size_t k = 0;
  while (k < n / 2 && below + probability <= 0.025) {
    below += probability;
    probability *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    ++k;
  }
  return k;
}

// The rank, from 1, of the lower end of the confidence interval of the centre of symmetry among the ordered averages of
// n values; the centre lies below it with a probability of at most `tail`. It is the number of rank sums w with
// P(W <= w) <= tail; 0 if there are none. Above kExact values the normal approximation is used.
struct Level {
  double tail = 0, normal_quantile = 0;
};
constexpr Level k95{0.025, 1.96}, k98{0.01, 2.326};

std::size_t lower_rank_of_centre(std::size_t n, const Level& level) {
  constexpr std::size_t kExact = 100;
  const double most = static_cast<double>(n * (n + 1)) / 2;
  if (n > kExact) {
    const double deviation = std::sqrt(most * static_cast<double>(2 * n + 1) / 12);
    return static_cast<std::size_t>(std::max(0.0, std::floor(most / 2 - level.normal_quantile * deviation)));
  }
  std::vector<double> probability(static_cast<std::size_t>(most) + 1, 0);  // of each sum of ranks
  probability[0] = 1;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    for (std::size_t sum = rank * (rank + 1) / 2 + 1; sum-- > 0;) {
      probability[sum] = (probability[sum] + (sum >= rank ? probability[sum - rank] : 0)) / 2;
    }
  }
  double below = 0;
  std::size_t w = 0;
  while (w < probability.size() && below + probability[w] <= level.tail) below += probability[w++];
  return w;
}

int affordable(int wanted, double length, double enough, int least) {
  if (length * wanted <= enough) return wanted;
  return std::min(wanted, std::max(least, static_cast<int>(enough / length)));
}

struct Spread {
  double mean = 0, deviation = 0;  // the latter of one value, estimated by n - 1
};

// Requires at least two values.
Spread spread_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / n;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / (n - 1))};
}

// The exponential of the Hodges-Lehmann estimate, with the interval that inverts the signed-rank test.
MedianInterval signed_rank_interval(const std::vector<double>& logs, const Level& level) {
  if (logs.empty()) return {};
  const std::size_t n = logs.size();
  std::vector<double> averages;  // Walsh averages: of each value with itself and each later one
  averages.reserve(n * (n + 1) / 2);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) averages.push_back((logs[i] + logs[j]) / 2);
  }
  std::sort(averages.begin(), averages.end());
  const std::size_t outside = std::max<std::size_t>(lower_rank_of_centre(n, level), 1) - 1;
  return {std::exp(median_of_sorted(averages)), std::exp(averages[outside]),
          std::exp(averages[averages.size() - 1 - outside])};
}

}  // namespace

double student_t(std::size_t degrees) {
  constexpr std::array<double, 10> kQuantiles = {12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
  check(degrees > 0, "Student's t needs a degree of freedom");
  return degrees <= kQuantiles.size() ? kQuantiles[degrees - 1] : 1.96 + 2.5 / static_cast<double>(degrees);
}

int TimingOptions::samples_of(double sample_length, int wanted) const {
  return affordable(wanted, sample_length, enough_ns, 2);
}

int TimingOptions::finalist_samples_of(double sample_length) const {
  return affordable(finalist_samples, sample_length, finalist_enough_ns, 1);
}

int TimingOptions::finalist_max_samples_of(double sample_length) const {
  return std::max(finalist_samples_of(sample_length),
                  affordable(finalist_max_samples, sample_length, finalist_enough_ns, 1));
}

TimingOptions timing_on(DeviceKind device, int threads, TimingOptions options) {
  constexpr double kDeviceSampleNs = 20e6, kDeviceWarmBelowNs = 0.5e6, kThreadsSampleNs = 10e6;
  if (device != DeviceKind::kCpu) {
    options.sample_ns = std::max(options.sample_ns, kDeviceSampleNs);
    options.warm_below_ns = std::min(options.warm_below_ns, kDeviceWarmBelowNs);
  } else if (threads > 1) {
    options.finalist_sample_ns = std::max(options.finalist_sample_ns, kThreadsSampleNs);
  }
  return options;
}

TimingOptions of_parts(TimingOptions options) {
  options.rounds = {2, 3, 5};
  options.warm_below_ns = options.sample_ns;
  return options;
}

TimingOptions preliminary(TimingOptions options) {
  options.finalist_processes = options.max_finalist_processes = options.preliminary_processes;
  options.finalist_samples = options.finalist_max_samples = options.preliminary_samples;
  options.finalist_sample_ns = options.sample_ns;
  return options;
}

MedianInterval median_interval(std::span<const double> samples) {
  if (samples.empty()) return {};
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  // No interval reaches 95% with fewer than six samples, so their whole range is returned. Ranks count from 1.
  const std::size_t k = std::max<std::size_t>(lower_rank_of_median(sorted.size()), 1) - 1;
  return {median_of_sorted(sorted), sorted[k], sorted[sorted.size() - 1 - k]};
}

MedianInterval paired_ratio(std::span<const double> a, std::span<const double> b) {
  check(a.size() == b.size(), "paired ratios need as many samples of one as of the other");
  std::vector<double> logs(a.size());
  for (std::size_t i = 0; i < logs.size(); ++i) logs[i] = std::log(a[i] / b[i]);
  return signed_rank_interval(logs, k95);
}

MedianInterval ratio_of_processes(std::span<const double> ratios) {
  constexpr std::size_t kEnoughForRanks = 7;
  constexpr double kProcessesDiffer = 0.03;
  constexpr std::array<double, kEnoughForRanks - 2> kStudent98 = {31.82, 6.965, 4.541, 3.747, 3.365};
  std::vector<double> logs(ratios.begin(), ratios.end());
  for (double& log : logs) log = std::log(log);
  if (logs.size() >= kEnoughForRanks || logs.empty()) return signed_rank_interval(logs, k98);
  if (logs.size() == 1) {
    return {ratios[0], ratios[0] * std::exp(-kProcessesDiffer), ratios[0] * std::exp(kProcessesDiffer)};
  }
  const Spread spread = spread_of(logs);
  const double half = kStudent98[logs.size() - 2] * spread.deviation / std::sqrt(static_cast<double>(logs.size()));
  return {std::exp(spread.mean), std::exp(spread.mean - half), std::exp(spread.mean + half)};
}

}  // namespace nestwright
