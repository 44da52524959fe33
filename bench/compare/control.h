// The control of a round: the same arithmetic on one thread and on two. What it reads says whether the machine was
// ours, and is the peak that GFLOP/s are held against. Thread rule: one thread at a time.
#pragma once

#include "bench/compare/summary.h"

namespace nestwright::bench {

/// Takes about 20 ms. By the wall time of a fixed amount of work: a thread that had to wait shows.
Control measure_control();

}  // namespace nestwright::bench
