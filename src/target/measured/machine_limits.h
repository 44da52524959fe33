// The highest rates ever measured on a machine, which bound every kernel on it from above (cost_model/least_time.h). A
// disturbance can only lower a measured rate, so the highest of several measurements counts.
// Thread rule: one thread at a time, and nothing else should run meanwhile.
#pragma once

namespace nestwright {

/// Rates in which 0 means not measured, so no limit.
struct MachineLimits {
  double fma_gflops = 0;  ///< GFLOP/s of float32 fused multiply-adds in registers, all threads together
  double read_gb_s = 0;   ///< GB/s of reads from L1, all threads together

  friend bool operator==(const MachineLimits&, const MachineLimits&) = default;
};

/// Returns the higher of each rate.
MachineLimits highest(const MachineLimits& a, const MachineLimits& b);

/// Measures both rates, for half of `seconds` each. Throws UsageError if threads < 1.
MachineLimits measure_machine_limits(int threads, double seconds);

}  // namespace nestwright
