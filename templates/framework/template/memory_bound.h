// Tells kernels that wait for memory from those that compute.
// Thread rule: a pure function.
#pragma once

namespace nestwright {

/// Whether a kernel is bound by memory: it has fewer than 4 operations per byte that it reads or writes. Every current
/// CPU computes those faster than its memory delivers the bytes.
inline bool is_memory_bound(double flops, double bytes) { return flops < 4 * bytes; }

}  // namespace nestwright
