// The highest rates ever measured on a machine, which bound every kernel on it from above (cost_model/least_time.h). A
// disturbance can only lower a measured rate, so the highest of several measurements counts.
// Thread rule: one thread at a time, and nothing else should run meanwhile.
#pragma once

#include "nestwright/target.h"

namespace nestwright {

/// Returns the higher of each rate.
MachineLimits highest(const MachineLimits& a, const MachineLimits& b);

/// Measures both rates, for half of `seconds` each. Throws UsageError if threads < 1.
MachineLimits measure_machine_limits(int threads, double seconds);

}  // namespace nestwright
