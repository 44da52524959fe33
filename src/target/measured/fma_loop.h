// A loop of independent fused multiply-adds in registers, on the widest vectors of the host. It touches no memory, so
// its time depends on the clock frequency alone. Its ten accumulators keep two FMA units busy.
// Thread rule: any thread, several at once too.
#pragma once

#include <cstdint>

namespace nestwright {

/// Runs `iterations` rounds of ten vector operations.
void run_fma_loop(std::int64_t iterations);
/// Returns the floating point operations (float32) of one iteration.
std::int64_t fma_loop_flops();
/// Returns the number of iterations that take about `ns` at the current clock frequency.
std::int64_t calibrate_fma_loop(double ns);

}  // namespace nestwright
