// The highest rates ever measured on a machine: what no kernel on it can be faster than (cost_model/least_time.h). A
// machine is never faster than it was at its best, so of several measurements the highest counts, whatever disturbed
// the others. Thread rule: one thread at a time, and nothing else should run meanwhile.
#pragma once

namespace nestwright {

/// 0: not measured, so no limit.
struct MachineLimits {
  double fma_gflops = 0;  ///< GFLOP/s of float32 fused multiply-adds in registers, all threads together
  double read_gb_s = 0;   ///< GB/s read by all threads from their L1 caches together

  friend bool operator==(const MachineLimits&, const MachineLimits&) = default;
};

/// The higher one of each rate.
MachineLimits highest(const MachineLimits& a, const MachineLimits& b);

/// Takes about `seconds`, half of it for each rate. UsageError where threads < 1.
MachineLimits measure_machine_limits(int threads, double seconds);

}  // namespace nestwright
