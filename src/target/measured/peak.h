// The measured peak rates of this machine, for comparison with every GFLOP/s that is printed.
// Thread rule: one thread at a time, and nothing else should run meanwhile.
#pragma once

#include <cstdint>

#include "nestwright/type.h"

namespace nestwright {

/// Measures the GFLOP/s of float32 fused multiply-adds in registers on `threads` threads at once, or on as many as this
/// process has cores if that is fewer: the rates of threads that share a core do not add up. Takes about `seconds`.
/// Throws UsageError if threads < 1.
double measure_fma_peak(int threads, double seconds = 0.2);
/// Measures the peak rate of products of `type`, relative to float32 fused multiply-adds: the fastest instructions of
/// this CPU are used, with sums in a wider type or the same one. Takes a few milliseconds, except for float64, which is
/// 0.5 unmeasured. 1 for a type without instructions of its own, which is converted.
double measure_peak_scale(ir::Type type);
/// Measures the GB/s that `threads` threads, likewise no more than there are cores, read at once, each repeatedly from
/// its own working set of `bytes`. Takes about `seconds`. Throws UsageError for less than 512 bytes or one thread.
double measure_read_bandwidth(std::int64_t bytes, double seconds = 0.1, int threads = 1);
/// Measures the GB/s read plus written when one thread copies one half of a working set of `bytes` to the other. Takes
/// about `seconds`. Throws UsageError for less than 512 bytes.
double measure_copy_bandwidth(std::int64_t bytes, double seconds = 0.1);

}  // namespace nestwright
