// What starting a parallel loop costs, measured: why a small kernel may be faster on one thread, and why the pool that
// runs its loops matters. Thread rule: one thread at a time, and nothing else should run meanwhile. Unit: nanoseconds.
#pragma once

#include "runtime/parallel.h"

namespace nestwright {

/// From the call of a loop until it has returned, with a task on each thread that ends as soon as all have begun: a
/// thread that runs the others' tasks as well does not make it look cheap. Medians.
struct StartCost {
  double hot_ns = 0;   ///< loop after loop
  double idle_ns = 0;  ///< after 2 ms in which the caller worked alone, so that the others may be asleep
};

/// Takes about 0.15 s.
StartCost measure_start_cost(PoolKind kind, int threads);

}  // namespace nestwright
