// Says what bounds the time of a kernel: arithmetic, bandwidth, or neither, which is latency and overhead.
//
//   const TimeBound bound = time_bound({2e9, 3e6}, 12e6, {.peak_gflops = 200, .read_gb_s = 90, .start_ns = 3000});
//   bound.by, bound.share_of(bound.arithmetic_ns)
//
// Thread rule: pure functions. Units: nanoseconds per call, operations, bytes.
#pragma once

#include <cstdint>

namespace nestwright {

/// What one call of a kernel does.
struct KernelWork {
  double flops = 0;
  double bytes = 0;  ///< of its tensors, each counted once
};

/// The rates of the machine on the threads of the task. 0: not known.
struct RooflineRates {
  double peak_gflops = 0;        ///< of the task's type
  double read_gb_s = 0;          ///< from the level of memory that holds the tensors, or from a faster one
  double start_ns = 0;           ///< of a parallel loop
  bool is_faster_level = false;  ///< whether read_gb_s is that of a faster level: traffic takes longer than it says
};

enum class BoundBy : std::uint8_t {
  kArithmetic,  ///< at the peak rate the operations alone take more than half of the time
  kBandwidth,   ///< at the highest bandwidth the tensors alone take more than half of the time
  kLatency,     ///< neither: dependent operations, loads that miss, what is not vectorized, the start of the loop
  kUnknown,     ///< no rate is known, or bandwidth may bind and is not known
};
/// "arithmetic", "bandwidth", "latency", "unknown". Do not rename: --json prints the names.
const char* bound_name(BoundBy by);

struct TimeBound {
  BoundBy by = BoundBy::kUnknown;
  double time_ns = 0;
  double arithmetic_ns = 0;  ///< of the operations at the peak rate; 0: not known
  double traffic_ns = 0;     ///< of the tensors at the bandwidth, each read or written once; 0: not known
  double start_ns = 0;       ///< of the parallel loop; 0: not known, or none

  /// What is left where arithmetic and traffic overlap and the loop has started.
  double rest_ns() const;
  double share_of(double ns) const { return time_ns > 0 ? ns / time_ns : 0; }
  /// How many times as fast a kernel could be that does the same work at these rates; 0: not known.
  double possible_speedup() const;
};

/// Requires ns > 0.
TimeBound time_bound(const KernelWork& work, double ns, const RooflineRates& rates);

}  // namespace nestwright
