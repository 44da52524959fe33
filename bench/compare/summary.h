// What is concluded from the rounds of a comparison. Pure.
// Thread rule: values. Units: nanoseconds of one call, GFLOP/s.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/compare/problem.h"
#include "measure/timing.h"

namespace nestwright::bench {

/// The two threads of a round's control must have done at least this much of what one did, or the machine was not ours.
constexpr double kLeastScaling = 1.9;

/// Pure arithmetic, timed in the same round as the contestants.
struct Control {
  double one_thread_gflops = 0, two_thread_gflops = 0;
  double scaling() const { return one_thread_gflops > 0 ? two_thread_gflops / one_thread_gflops : 0; }
};

/// What a contestant answers.
struct Sample {
  double time_ns = 0;    ///< of one call
  double cpu_share = 0;  ///< CPU time over wall time of the calling thread; below 1 where it waited or was made to wait
};

/// A single thread that waits for nothing must have had a core for at least this share of a sample.
constexpr double kLeastCpuShare = 0.97;

/// Whether the machine was ours in a round. One thread: every sample had a core to itself. More: all controls scale;
/// shares say nothing there, for a thread may wait for its own colleague.
bool round_counts(int threads, std::span<const Control> controls, std::span<const Sample> samples);

/// One contestant's samples, one a round that counts.
struct Series {
  std::string name;    ///< "oneDNN"
  std::string detail;  ///< what of it ran
  std::vector<double> times_ns;
};

/// Ours first. All series have as many times as there are peaks.
struct Comparison {
  Problem problem;
  int threads = 1;
  int dropped = 0;  ///< rounds that did not count
  std::vector<double> peaks_gflops;
  std::vector<Series> series;
};

struct Standing {
  double gflops = 0;         ///< of the median time
  double share_of_peak = 0;  ///< median over the rounds
  MedianInterval ratio;      ///< our speed over theirs; 1 for ourselves
};
Standing standing(const Comparison& comparison, std::size_t series);

/// Requires positive values; 0 of none.
double geomean(std::span<const double> values);

/// Ours over one rival, across comparisons.
struct Verdict {
  std::string rival;
  double one_thread = 0, two_threads = 0, overall = 0;  ///< geomeans of the ratios; 0 where nothing was compared
  double worst = 0;
  MedianInterval worst_interval;
  std::string worst_where;  ///< "127x127x127, 2 threads"
};
Verdict verdict(std::span<const Comparison> comparisons, const std::string& rival);

}  // namespace nestwright::bench
