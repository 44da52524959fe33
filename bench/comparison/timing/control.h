// The control of a round: the same arithmetic on one thread and on all compared threads. Its rates show whether the
// machine was undisturbed, and are the peak that GFLOP/s are compared with. Thread rule: one thread at a time.
#pragma once

#include "bench/comparison/timing/round_check.h"

namespace nestwright::bench {

/// Measures the wall time of a fixed amount of work, in which waiting threads show. Takes about 10 ms, with several
/// threads 20 ms.
Control measure_control(int threads);

}  // namespace nestwright::bench
