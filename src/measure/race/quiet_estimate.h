// Estimates the time of a kernel on the quiet machine from readings of a disturbed one.
// Thread rule: pure functions. Unit: nanoseconds per call.
#pragma once

#include <span>

#include "measure/race/timing.h"

namespace nestwright {

/// The time that a kernel would take on the quiet machine, with the range in which it lies. Other processes only add
/// time, so that the shortest readings are the least disturbed: the estimate is their lower twentieth, and the range
/// reaches from a tenth below the shortest reading, as kernels of other processes vary, to the median. Zeros without a
/// reading.
MedianInterval quiet_estimate(std::span<const double> readings_ns);

/// Replaces the median of a sound timing that no race has confirmed by the lower fifth of its readings of the clock,
/// the norm of the sentinels, too: neighbours in a cache or on a core slow down readings without a trace, and the
/// scores depend on when the reference kernel was measured. Its interval is extended to a tenth below the shortest
/// reading, and to 3% above the median one, as processes differ. Does nothing to disturbed timings.
void estimate_unraced_time(Timing& timing);

/// Replaces the median and the interval of a disturbed timing by the estimate from its readings of the clock. Does
/// nothing to others.
void estimate_quiet_time(Timing& timing);

}  // namespace nestwright
