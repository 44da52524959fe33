// Estimates the time of a kernel on the quiet machine from readings of a disturbed one.
// Thread rule: pure functions. Unit: nanoseconds per call.
#pragma once

#include <span>

#include "measure/timing.h"

namespace nestwright {

/// The time that a kernel would take on the quiet machine, with the range in which it lies. Other processes only add
/// time, so that the shortest readings are the least disturbed: the estimate is their lower twentieth, and the range
/// reaches from a tenth below the shortest reading, as kernels of other processes vary, to the median. Zeros without a
/// reading.
MedianInterval quiet_estimate(std::span<const double> readings_ns);

/// Replaces the median and the interval of a disturbed timing by the estimate from its readings of the clock. Does
/// nothing to others.
void estimate_quiet_time(Timing& timing);

}  // namespace nestwright
