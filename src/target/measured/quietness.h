// Measures how quiet this machine is at the moment, that is whether times measured now are meaningful. A steady
// disturbance is not detected, because nothing is compared with earlier measurements.
// Thread rule: one thread at a time, and nothing else should run in this process meanwhile.
#pragma once

#include <string>

namespace nestwright {

/// All figures except the duration are shares: 0.01 is one percent.
struct Quietness {
  double seconds = 0;     ///< the duration of the measurement
  double fma_spread = 0;  ///< p90 / p10 - 1 of an FMA loop of 0.1 ms, on the thread where it is largest
  /// The share of issue loops (target/measured/issue_loop.h) that took a quarter longer than their 5th percentile,
  /// because another hyper-thread used the core; on the thread where it is largest.
  double shared_share = 0;
  double walk_spread = 0;  ///< p90 / p10 - 1 of the memory walk (target/measured/memory_walk.h), run every 5 ms
  double wait_share = 0;   ///< of the threads' time: runnable while other processes had the core
  double steal_share = 0;  ///< of all cores' time: withheld by the host; in ticks of 10 ms

  /// Returns a phrase that names each figure above its limit; empty if the machine is quiet.
  std::string disturbance() const;
};

/// The limits of a quiet machine. The spread of the FMA loop is below 1% on a quiet dedicated machine, 1 to 5% on a
/// shared virtual machine without a busy neighbour, 10 to 100% beside one. The walk spreads by 10 to 20% without any
/// neighbour. A tick of steal in a second of two cores is 0.5%, which occurs on idle machines, too. A core that is
/// shared a tenth of the time makes kernels a few percent slower: they take a fifth longer while it is shared.
inline constexpr double kMaxFmaSpread = 0.05, kMaxSharedShare = 0.10, kMaxWalkSpread = 0.30, kMaxWaitShare = 0.005,
                        kMaxStealShare = 0.01;

/// Keeps `threads` threads (0: one per core) busy for about `seconds`.
Quietness measure_quietness(double seconds = 1, int threads = 0);

}  // namespace nestwright
