// What the machine can do at best, measured: the yardstick beside every GFLOP/s that is printed.
// Thread rule: one thread at a time, and nothing else should run meanwhile.
#pragma once

#include <cstdint>

namespace nestwright {

/// GFLOP/s of float32 fused multiply-adds in registers, on `threads` threads at once. Takes about `seconds`.
double measure_fma_peak(int threads, double seconds = 0.2);
/// GB/s read by one thread from a working set of that size, over and over. Takes about `seconds`.
double measure_read_bandwidth(std::int64_t bytes, double seconds = 0.1);
/// GB/s read plus written when one thread copies from one half of a working set of that size to the other.
double measure_copy_bandwidth(std::int64_t bytes, double seconds = 0.1);

}  // namespace nestwright
