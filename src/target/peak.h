// What the machine can do at best, measured: the yardstick beside every GFLOP/s that is printed.
// Thread rule: one thread at a time, and nothing else should run meanwhile.
#pragma once

#include <cstdint>

#include "ir/core/type.h"

namespace nestwright {

/// GFLOP/s of float32 fused multiply-adds in registers, on `threads` threads at once, or on as many as this process has
/// cores where they are more: threads that take turns on a core do not add up. Takes about `seconds`. Throws UsageError
/// where threads < 1.
double measure_fma_peak(int threads, double seconds = 0.2);
/// How many times as many operations a second as of float32 fused multiply-adds this CPU can do in products of `type`,
/// summed in a wider type or its own, by the fastest instructions that it has: measured in a few milliseconds, but for
/// float64, which is half. 1 for what has none of its own and is converted.
double measure_peak_scale(ir::Type type);
/// GB/s read by `threads` threads at once, likewise no more than there are cores, each from a working set of its own of
/// that size, over and over. Takes about `seconds`. Throws UsageError for less than 512 bytes or one thread.
double measure_read_bandwidth(std::int64_t bytes, double seconds = 0.1, int threads = 1);
/// GB/s read plus written when one thread copies from one half of a working set of that size to the other.
double measure_copy_bandwidth(std::int64_t bytes, double seconds = 0.1);

}  // namespace nestwright
