// Checks whether a round of samples counts, that is, whether the machine was undisturbed.
// Thread rule: values and pure functions.
#pragma once

#include <span>

namespace nestwright::bench {

/// The least scaling of a control for each thread: in an undisturbed round, two threads do at least 1.9 times the work
/// of one alone.
constexpr double kMinScalingPerThread = 0.95;

/// Rates of pure arithmetic, measured in the same round as the contestants.
struct Control {
  int threads = 1;
  double one_thread_gflops = 0, all_threads_gflops = 0;
  double scaling() const { return one_thread_gflops > 0 ? all_threads_gflops / one_thread_gflops : 0; }
};

/// One sample of a contestant.
struct Sample {
  double time_ns = 0;    ///< of one call
  double cpu_share = 0;  ///< CPU time divided by wall time of the calling thread; below 1 where it waited
};

/// The least cpu_share of a sample of a single thread in an undisturbed round.
constexpr double kMinCpuShare = 0.97;

/// Whether the machine was undisturbed. With one thread: every sample had a core to itself. With more: all controls
/// scale; CPU shares mean nothing there, since a thread may wait for another one of its own.
bool round_counts(int threads, std::span<const Control> controls, std::span<const Sample> samples);

}  // namespace nestwright::bench
