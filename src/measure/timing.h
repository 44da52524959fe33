// How many samples a candidate gets, and the statistics that conclude from them. Pure: the clock and the kernels are
// handed in (measure/race.h), so that all of this is tested with made-up ones.
#pragma once

#include <cstddef>
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
  /// Fresh processes in which finalists race, one after the other: more, up to the most, until the ratio of the fastest
  /// two is known to finalist_precision (half the width of its interval).
  int finalist_processes = 8, max_finalist_processes = 16;
  double finalist_precision = 0.01;
  int finalist_samples = 5;           ///< of each finalist in each process
  double finalist_enough_ns = 150e6;  ///< samples of a finalist in a process that took this long together are enough
  int preliminary_processes = 3, preliminary_samples = 4;  ///< of a preliminary race, likewise

  /// How many samples of this length (ns) are taken where `wanted` short ones are: what disturbs a measurement averages
  /// out within a long sample, and its time is better spent on other candidates.
  int samples_of(double sample_length, int wanted) const;
  int finalist_samples_of(double sample_length) const;
};

/// What a runner makes of them where kernels run on `device`: on one that is no CPU a sample takes 20 ms or more, for
/// events are no finer than half a microsecond and clocks take a while to settle.
TimingOptions timing_on(DeviceKind device, TimingOptions options = {});

/// Those of a final race, so that it is a preliminary one.
TimingOptions preliminary(TimingOptions options);

/// The 97.5% quantile of Student's t. Requires a degree of freedom.
double student_t(std::size_t degrees);

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

/// The ratio of one kernel to another that is typical of processes, by their ratio in each of several, with its 98%
/// interval, so that a race that adds processes until it is narrow tells equal kernels apart in less than 5%: as
/// paired_ratio gives it for seven and more, by Student's t over the logarithms for fewer. One process alone
/// does not show how processes differ: its interval is 3% to each side. Requires positive ratios; none gives zeros.
MedianInterval ratio_of_processes(std::span<const double> ratios);

/// What a fresh process is going to show, by the samples taken in several of them: the median of their medians, and the
/// larger of two 95% intervals: of the median of all samples, and the prediction interval for one more process
/// (Student's t over the logarithms of the medians). Requires one sample or more of each process.
MedianInterval across_processes(std::span<const std::vector<double>> samples_by_process);

}  // namespace nestwright
