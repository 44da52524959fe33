// A loop of independent fused multiply-adds in registers, of the widest vectors that the host has: it touches no
// memory, so its time is the clock's and nothing else's. Ten accumulators keep two fma units busy. Thread rule: any
// thread, also several at once.
#pragma once

#include <cstdint>

namespace nestwright {

/// Runs `iterations` rounds of ten vector operations.
void run_fma_loop(std::int64_t iterations);
/// Floating point operations (float32) of one iteration.
std::int64_t fma_loop_flops();
/// Iterations that take about `ns` at the present clock.
std::int64_t calibrate_fma_loop(double ns);

}  // namespace nestwright
