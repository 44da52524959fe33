#include "measure/timing.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "support/error.h"

namespace nestwright {

namespace {

double median_of_sorted(const std::vector<double>& sorted) {
  const std::size_t n = sorted.size();
  return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

// How many of n ordered samples can be left out at each end so that the rest still holds the median with 95%
// confidence: the largest k with P(Binomial(n, 1/2) < k) <= 2.5%.
std::size_t samples_outside(std::size_t n) {
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

int affordable(int wanted, double length, double enough, int least) {
  if (length * wanted <= enough) return wanted;
  return std::min(wanted, std::max(least, static_cast<int>(enough / length)));
}

}  // namespace

int TimingOptions::samples_of(double sample_length, int wanted) const {
  return affordable(wanted, sample_length, enough_ns, 2);
}

TimingOptions timing_on(DeviceKind device, TimingOptions options) {
  constexpr double kDeviceSampleNs = 20e6;
  if (device != DeviceKind::kCpu) options.sample_ns = std::max(options.sample_ns, kDeviceSampleNs);
  return options;
}

int TimingOptions::finalist_samples_of(double sample_length) const {
  return affordable(finalist_samples, sample_length, finalist_enough_ns, 5);
}

MedianInterval median_interval(std::span<const double> samples) {
  if (samples.empty()) return {};
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  // Below six samples no interval reaches 95%: all of them is the honest answer. samples_outside counts k from "fewer
  // than k below", so that sample k (from 1) is the lower end.
  const std::size_t k = std::max<std::size_t>(samples_outside(sorted.size()), 1) - 1;
  return {median_of_sorted(sorted), sorted[k], sorted[sorted.size() - 1 - k]};
}

MedianInterval paired_ratio(std::span<const double> a, std::span<const double> b, std::uint64_t seed) {
  check(a.size() == b.size(), "paired ratios need as many samples of one as of the other");
  if (a.empty()) return {};
  std::vector<double> ratios(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) ratios[i] = a[i] / b[i];

  constexpr int kResamples = 1000;
  std::mt19937_64 random(seed);
  std::vector<double> medians(kResamples), resample(ratios.size());
  for (double& median : medians) {
    // By remainder and not by a distribution, whose results differ between libraries.
    for (double& r : resample) r = ratios[random() % ratios.size()];
    std::sort(resample.begin(), resample.end());
    median = median_of_sorted(resample);
  }
  std::sort(medians.begin(), medians.end());
  std::sort(ratios.begin(), ratios.end());
  return {median_of_sorted(ratios), medians[kResamples / 40], medians[kResamples - 1 - kResamples / 40]};
}

}  // namespace nestwright
