// How many samples a candidate gets, and the statistics that conclude from them. Pure: the clock and the kernels are
// handed in (measure/race.h), so that all of this is tested with made-up ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "measure/measurement.h"
#include "target/target.h"

namespace nestwright {

struct TimingOptions {
  double sample_ns = 2e6;  ///< length of a sample, two thirds of it at least
  /// An untimed call precedes the samples of a kernel whose calls are shorter than this: what the sentinels and other
  /// kernels drove out of the caches is then not read within the sample. Of longer ones it is less than a percent.
  double warm_below_ns = 0.5e6;
  double give_up_ratio = 1.5;  ///< two first samples this many times the best end it
  double race_within = 0.10;   ///< candidates this near the best get more samples, a quarter as near still more
  std::vector<int> rounds = {3, 5, 10};  ///< samples in all after each round of the race
  double enough_ns = 300e6;              ///< samples that took this long together are enough, if they are two
  int finalist_samples = 20;             ///< of each in the race that ends a session, at least
  int max_finalist_samples = 60;         ///< while the fastest two are told apart by less than finalist_precision
  double finalist_precision = 0.005;     ///< half the width of the interval of their ratio
  double finalist_enough_ns = 1.5e9;     ///< of a finalist, if they are six
  int fresh_processes = 5;               ///< in which the winner, the runner-up and the default are timed at the end
  int fresh_samples = 8;                 ///< of each in each of these processes

  /// How many samples of this length (ns) are taken where `wanted` short ones are: what disturbs a measurement averages
  /// out within a long sample, and its time is better spent on other candidates.
  int samples_of(double sample_length, int wanted) const;
  int finalist_samples_of(double sample_length) const;
  int fresh_samples_of(double sample_length) const;
};

/// What a runner makes of them where kernels run on `device`: on one that is no CPU a sample takes 20 ms or more, for
/// events are no finer than half a microsecond and clocks take a while to settle.
TimingOptions timing_on(DeviceKind device, TimingOptions options = {});

/// An estimate with its 95% interval.
struct MedianInterval {
  double median = 0, low = 0, high = 0;
};

/// Median and the 95% interval of the median (order statistics, exact for small n). Fewer than six samples cannot give
/// 95%: the interval is then all of them. No samples give zeros.
MedianInterval median_interval(std::span<const double> samples);

/// The ratio of a[i] to b[i] that is typical, with its 95% interval: Hodges and Lehmann's estimate over the logarithms
/// of the ratios and the interval that inverts Wilcoxon's signed-rank test (Hodges & Lehmann 1963), exact for ratios
/// that scatter symmetrically, as those of two equal kernels do. Fewer than six pairs cannot give 95%: the interval is
/// then all of them. Requires as many of a as of b, all positive.
MedianInterval paired_ratio(std::span<const double> a, std::span<const double> b);

/// What a fresh process is going to show, by the samples taken in several of them: the median of their medians, and the
/// larger of two 95% intervals: of the median of all samples, and the prediction interval for one more process
/// (Student's t over the logarithms of the medians). Requires one sample or more of each process.
MedianInterval across_processes(std::span<const std::vector<double>> samples_by_process);

}  // namespace nestwright
