// The racing scheme: how many samples a candidate gets, which ones count, and what is concluded. Pure: the clock and
// the kernels are handed in, so that all of this is tested with made-up ones. Method:
// after Kalibera & Jones (ISMM'13) and Chen & Revels (arXiv 1608.04295): interleaved samples, medians, bootstrap
// intervals of paired ratios.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "measure/measurement.h"
#include "target/target.h"

namespace nestwright {

struct TimingOptions {
  double sample_ns = 2e6;           ///< least length of a sample
  double bracket_below_ns = 10e6;   ///< samples shorter than this are bracketed by the FMA loop
  double bracket_tolerance = 0.01;  ///< dropped when the two brackets differ by more than this
  double give_up_ratio = 1.5;       ///< a first sample this many times the incumbent ends it
  double race_within = 0.10;        ///< candidates this near the best get more samples, a quarter as near still more
  std::vector<int> rounds = {3, 5, 10};  ///< samples in all after each round of the race
  int finalist_samples = 20;             ///< of each in the race that ends a session
  double enough_ns = 300e6;              ///< samples that took this long together are enough, if they are two
  double finalist_enough_ns = 1.5e9;     ///< of a finalist, if they are five

  /// How many samples of this length (ns) are taken where `wanted` short ones are: what disturbs a measurement averages
  /// out within a long sample, and its time is better spent on other candidates.
  int samples_of(double sample_length, int wanted) const;
  int finalist_samples_of(double sample_length) const;
};

/// What a runner makes of them where kernels run on `device`: on one that is no CPU a sample takes 20 ms or more, for
/// events are no finer than half a microsecond and clocks take a while to settle.
TimingOptions timing_on(DeviceKind device, TimingOptions options = {});

/// Median and the 95% interval of the median (order statistics, exact for small n). Fewer than six samples cannot give
/// 95%: the interval is then all of them. No samples give zeros.
struct MedianInterval {
  double median = 0, low = 0, high = 0;
};
MedianInterval median_interval(std::span<const double> samples);

/// 95% bootstrap interval of the median of a[i]/b[i]; deterministic for a given seed. Requires as many of a as of b.
MedianInterval paired_ratio(std::span<const double> a, std::span<const double> b, std::uint64_t seed = 1);

}  // namespace nestwright
