// How quiet this machine is at the moment: whether times taken now would mean something. What disturbs all of the time
// and evenly is not seen, for nothing here is compared with another day.
// Thread rule: one thread at a time, and nothing else should run in this process meanwhile.
#pragma once

#include <string>

namespace nestwright {

/// All of them are shares: 0.01 is one percent.
struct Quietness {
  double seconds = 0;  ///< that it was looked at
  double fma_spread =
      0;  ///< an FMA loop of 0.1 ms on every core: p90 over p10, less 1, of the core where it is largest
  /// Of the time: another hyper-thread had part of a core, by the issue loop (target/issue_loop.h), which then takes a
  /// quarter longer than when it is fast; of the core where it is most.
  double shared_share = 0;
  double walk_spread = 0;  ///< the memory walk (target/memory_walk.h), every 5 ms: likewise
  double wait_share = 0;   ///< of the threads' time: runnable, but something else of this machine had the core
  double steal_share = 0;  ///< of all cores' time: the host had them run something else; ticks of 10 ms

  /// What disturbs, one phrase that names each figure above its limit; empty where the machine is quiet.
  std::string disturbance() const;
};

/// The limits. On a quiet machine of its own the FMA loop spreads by less than 1%, on a shared virtual machine without
/// a busy neighbour by 1 to 5%, beside one by 10 to 100%. The walk spreads by 10 to 20% without any. A tick of steal in
/// a second of two cores is 0.5%, which a host does to an idle machine, too. A core that is shared a tenth of the time
/// makes kernels some percent slower: they take a fifth longer while it is.
inline constexpr double kMaxFmaSpread = 0.05, kMaxSharedShare = 0.10, kMaxWalkSpread = 0.30, kMaxWaitShare = 0.005,
                        kMaxStealShare = 0.01;

/// Keeps `threads` threads (by default one for each core) busy for about that long.
Quietness measure_quietness(double seconds = 1, int threads = 0);

}  // namespace nestwright
