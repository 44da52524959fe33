// What binds a workload: the arithmetic or the moving of its tensors, by what the machine reached in the same round.
// Thread rule: pure functions. Units: nanoseconds, GFLOP/s, GB/s.
#pragma once

#include "bench/comparison/comparison.h"
#include "ir/core/type.h"

namespace nestwright::bench {

enum class Bound : std::uint8_t { kUnknown, kCompute, kMemory };
/// "compute", "memory", "-".
const char* name_of(Bound bound);

struct Roof {
  double least_ns = 0;  ///< nothing can be faster that does its arithmetic at the peak and touches its tensors once
  Bound bound = Bound::kUnknown;
};
/// The slower of `flops` at `peak_scale` times `peak_gflops` and `bytes` at `copy_gb_s`. Unknown where the peak of a
/// type is unknown and there is arithmetic.
Roof roof_of(const Case& subject, double peak_gflops, double copy_gb_s);

struct Roofline {
  double share = 0;  ///< median over the rounds of the least time over the time taken; 0: unknown
  Bound bound = Bound::kUnknown;
  double roof_gflops = 0;  ///< what the machine allows, in terms of the workload's arithmetic
};
/// Of one series; all zeros where it has no times.
Roofline roofline(const Comparison& comparison, const Series& series);

}  // namespace nestwright::bench
