// The roofline of a workload: whether arithmetic or memory traffic bounds it, by the rates measured in the same round.
// Thread rule: pure functions. Units: nanoseconds, GFLOP/s, GB/s.
#pragma once

#include "bench/comparison/results/comparison.h"
#include "nestwright/type.h"

namespace nestwright::bench {

enum class Bound : std::uint8_t { kUnknown, kCompute, kMemory };
/// "compute", "memory", "-".
const char* name_of(Bound bound);

struct Roof {
  double least_ns = 0;  ///< time of the arithmetic at the peak, or of touching each tensor once
  Bound bound = Bound::kUnknown;
};
/// The maximum of the times of `flops` at `peak_scale` * `peak_gflops` and of `bytes` at `copy_gb_s`. Unknown where
/// there is arithmetic of a type whose peak is unknown.
Roof roof_of(const Case& subject, double peak_gflops, double copy_gb_s);

struct Roofline {
  double share = 0;  ///< median over the rounds of the least time divided by the time taken; 0: unknown
  Bound bound = Bound::kUnknown;
  double roof_gflops = 0;  ///< the roof, in terms of the workload's arithmetic
};
/// The roofline of one series; all zeros where it has no times.
Roofline roofline(const Comparison& comparison, const Series& series);

}  // namespace nestwright::bench
