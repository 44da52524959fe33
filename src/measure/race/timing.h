// The number of samples that candidates get, and the statistics of those samples.
// Thread rule: values and pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nestwright/measurement.h"
#include "nestwright/target.h"

namespace nestwright {

/// The parameters of a race. Times are in nanoseconds.
struct TimingOptions {
  double sample_ns =
      2e6;  ///< target length of a sample of whole calls; a sample of less than half of it is taken again once
  /// If a call of a kernel is shorter than this, an untimed call precedes each sample, so that the sample does not
  /// include waking the threads and reloading what sentinels and other kernels evicted from the caches. Filling the
  /// whole last cache of a desktop takes about two milliseconds, a percent of a call of this length.
  double warm_below_ns = 200e6;
  double give_up_ratio = 1.5;  ///< a candidate is given up if its first two samples are this many times the best's
  double race_within = 0.10;   ///< distance to the best, relative, within which the second round is reached; then / 4
  std::vector<int> rounds = {3, 5, 10};  ///< total samples after each round of the race
  double enough_ns = 300e6;              ///< samples with this total duration suffice, if there are at least two
  /// The number of fresh processes in which finalists race, one after the other. More are started, up to the maximum,
  /// until the ratio of the fastest two is known to finalist_precision (half the width of its interval).
  int finalist_processes = 8, max_finalist_processes = 16;
  double finalist_precision = 0.01;
  double finalist_sample_ns = 2e6;  ///< like sample_ns, of finalists; sample_ns where the race is short of time
  int finalist_samples = 5;         ///< of each finalist in each process
  /// More are taken, up to this number, until the median of a process is known to finalist_steady (standard error).
  int finalist_max_samples = 15;
  double finalist_steady = 0.01;
  double finalist_enough_ns = 150e6;  ///< samples of a finalist in a process with this total duration suffice
  int preliminary_processes = 3, preliminary_samples = 4;  ///< the same two for a preliminary race

  /// Returns the number of samples of this length (ns) to take where `wanted` short ones would be: disturbances average
  /// out within a long sample, and the time is better spent on other candidates.
  int samples_of(double sample_length, int wanted) const;
  int finalist_samples_of(double sample_length) const;
  int finalist_max_samples_of(double sample_length) const;
};

/// Returns the options adapted to `device` and to kernels of `threads` threads. On devices other than the CPU a sample
/// takes about 20 ms, because the resolution of events is half a microsecond and clocks take a while to settle, and no
/// untimed call precedes one of calls that take more than half a millisecond. On several threads, samples of finalists
/// take 10 ms, because threads that wait for each other scatter more.
TimingOptions timing_on(DeviceKind device, int threads, TimingOptions options = {});

/// Returns the options adapted to parts of kernels, whose samples are long: fewer of them, and no untimed calls before
/// each. They choose what is timed as a whole.
TimingOptions of_parts(TimingOptions options);

/// Returns the options of a final race, adapted to a preliminary race.
TimingOptions preliminary(TimingOptions options);

/// Returns the 97.5% quantile of Student's t. Requires at least one degree of freedom.
double student_t(std::size_t degrees);

/// An estimate with its 95% interval.
struct MedianInterval {
  double median = 0, low = 0, high = 0;
};

/// Returns the median with its 95% interval (order statistics, exact for small n). Fewer than six samples cannot give
/// 95%, so the interval is their whole range. No samples give zeros.
MedianInterval median_interval(std::span<const double> samples);

/// Returns the typical ratio of a[i] to b[i] with its 95% interval: the Hodges-Lehmann estimate over the logarithms of
/// the ratios, and the interval that inverts Wilcoxon's signed-rank test (Hodges & Lehmann 1963). It is exact for
/// ratios that scatter symmetrically, as those of two equal kernels do. Fewer than six pairs cannot give 95%, so the
/// interval is their whole range. Requires equally many of a and b, all positive.
MedianInterval paired_ratio(std::span<const double> a, std::span<const double> b);

/// Returns the typical ratio of two kernels across processes, from their ratio in each of several, with its 98%
/// interval, so that a race that adds processes until it is narrow separates equal kernels in less than 5% of cases. It
/// uses the method of paired_ratio for seven or more processes, Student's t over the logarithms for fewer. One process
/// alone does not show how processes differ: its interval is 3% to each side. Requires positive ratios; none give
/// zeros.
MedianInterval ratio_of_processes(std::span<const double> ratios);

}  // namespace nestwright
