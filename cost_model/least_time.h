// The least time that a program can take on a machine of known highest rates: what is timed faster was timed wrong,
// and is measured again. Everything is rounded down, so that no correct time of a CPU is ever refused: counted is only
// what every code for the program has to do. Thread rule: pure functions.
#pragma once

#include "ir/core/program.h"

namespace nestwright {

/// Of one call.
struct LeastWork {
  /// Executed products of two values that were both read from tensors, each in only those loops that its value depends
  /// on (elsewhere it could be hoisted), equal ones once. What stands below a guard, in a select or behind a mask
  /// counts for the iterations that these let through, or not at all where data decide. Products by a literal and
  /// within functions like exp do not count; dot_u8s8 and dot_s8s8 are four, dot_s16 and dot_bf16 two. What a tile
  /// computes in its padding counts: where a compiler may see that nobody reads it, take the smaller of this and half
  /// of the operator's operations.
  double multiplications = 0;
  /// Different bytes of inputs, and of what is prepared, that some access reaches, each parameter for the access that
  /// reaches most.
  double read_bytes = 0;
  double written_bytes = 0;  ///< of the outputs: a right result has all of them

  friend bool operator==(const LeastWork&, const LeastWork&) = default;
};

/// The highest rates that were seen; 0: not known, so no limit.
struct HighestRates {
  double fma_gflops = 0;  ///< GFLOP/s of float32 fused multiply-adds, of all threads that the program may use
  /// How many times as many products a second of the types that the program multiplies (measure_peak_scale); where
  /// there are several types, of the fastest.
  double product_scale = 1;
  double read_gb_s = 0;  ///< GB/s read from the caches next to the cores, of these threads together
};

/// Requires loop form. Zeros where loops are bound to a device's threads: of devices no limit is known.
LeastWork least_work(const ir::Program& program);

/// Cut down to what the operator itself asks for: half of its operations, for with each multiplication goes an addition
/// or another operation that is needed as well, and each byte of its tensors once.
LeastWork no_more_than(const LeastWork& work, double operations, double bytes);

/// The longest of three times: multiplications at half of fma_gflops (an addition comes free with each, and on some
/// CPUs runs beside), reading and writing at read_gb_s. Unit: nanoseconds.
double least_time_ns(const LeastWork& work, const HighestRates& rates);

}  // namespace nestwright
