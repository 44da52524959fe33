// Whether a round of samples counts: whether the machine was ours meanwhile.
// Thread rule: values and pure functions.
#pragma once

#include <span>

namespace nestwright::bench {

/// All threads of a round's control must have done at least this much for each thread, of what one did alone, or the
/// machine was not ours: 1.9 for two.
constexpr double kLeastScalingPerThread = 0.95;

/// Pure arithmetic, timed in the same round as the contestants.
struct Control {
  int threads = 1;
  double one_thread_gflops = 0, all_threads_gflops = 0;
  double scaling() const { return one_thread_gflops > 0 ? all_threads_gflops / one_thread_gflops : 0; }
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

}  // namespace nestwright::bench
