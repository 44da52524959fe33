// Measures the cost to start a parallel loop, which explains why a small kernel can be faster on one thread and why the
// choice of pool matters.
// Thread rule: one thread at a time, and nothing else should run meanwhile. Unit: nanoseconds.
#pragma once

#include "nestwright/parallel_pool.h"

namespace nestwright {

/// The time from the call of a loop until it returns. The loop has one task per thread, and each task waits until all
/// have begun, so that a pool in which one thread runs several tasks does not look cheap. Medians.
struct StartCost {
  double hot_ns = 0;   ///< one loop directly after another
  double idle_ns = 0;  ///< after 2 ms in which the caller worked alone, so that the other threads may be asleep
};

/// Measures a pool of that kind. Takes about 0.15 s.
StartCost measure_start_cost(PoolKind kind, int threads);

}  // namespace nestwright
