// The control of a round: the same arithmetic on one thread and on all that are compared. What it reads says whether
// the machine was ours, and is the peak that GFLOP/s are held against. Thread rule: one thread at a time.
#pragma once

#include "bench/comparison/round_check.h"

namespace nestwright::bench {

/// Takes about 10 ms, or 20 with several threads. By the wall time of a fixed amount of work: a thread that had to wait
/// shows.
Control measure_control(int threads);

}  // namespace nestwright::bench
