// A lower bound on the run time of a program, from the highest rates that the machine has reached. A faster timing is
// wrong and is measured again. The bound counts only work that every code for the program must do and rounds down, so
// that no correct time on a CPU is refused. Thread rule: pure functions.
#pragma once

#include "nestwright/program.h"

namespace nestwright {

/// The least work of one call.
struct LeastWork {
  /// Executed multiplications of two values that are both read from tensors. Each counts once for every iteration of
  /// the loops that its value depends on, since it could be hoisted out of others; equal products count once. Under a
  /// guard, select or mask, only the iterations that satisfy it count, and none where it depends on data. Products by a
  /// literal or inside functions such as exp do not count; dot_u8s8 and dot_s8s8 count as four, dot_s16 and dot_bf16 as
  /// two. Products in the padding of a tile count: where a compiler may see that nothing reads them, take the smaller
  /// of this and half of the operator's operations.
  double multiplications = 0;
  /// Distinct bytes of inputs and prepared tensors that are read, for each parameter those of the access with the most.
  double read_bytes = 0;
  double written_bytes = 0;  ///< of the outputs, all of which a correct result stores

  friend bool operator==(const LeastWork&, const LeastWork&) = default;
};

/// The highest rates that the machine has reached. 0 means unknown, hence no limit.
struct HighestRates {
  double fma_gflops = 0;  ///< GFLOP/s of float32 fused multiply-adds, over all threads that the program may use
  /// The rate of products of the program's types relative to float32 (measure_peak_scale); of several types, that of
  /// the fastest.
  double product_scale = 1;
  double read_gb_s = 0;  ///< GB/s read from the caches closest to the cores, over the same threads
};

/// The least work of `program`. Requires loop form. Zero where loops are bound to a device's threads, as no limits of
/// devices are known.
LeastWork least_work(const ir::Program& program);

/// `work`, limited to what the operator itself needs: half of `operations`, since each multiplication comes with an
/// addition or another operation, and `bytes`, the size of its tensors.
LeastWork limit_work(const LeastWork& work, double operations, double bytes);

/// The least time in nanoseconds: the maximum of the time for the multiplications, at half of fma_gflops (each includes
/// an addition, which some CPUs execute in parallel), for the reads, and for the writes, both at read_gb_s.
double least_time_ns(const LeastWork& work, const HighestRates& rates);

}  // namespace nestwright
