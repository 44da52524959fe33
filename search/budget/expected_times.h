// Estimates the times of tasks of which some were not timed yet.
// Thread rule: a pure function. Unit: nanoseconds.
#pragma once

#include <span>
#include <vector>

namespace nestwright {

/// The expected times: `best_ns` where it is known, which is above 0; else `estimated_ns`, corrected by the ratio of
/// the best times to the estimates of the tasks that were timed. Requires spans of one length, and estimates above 0.
std::vector<double> expected_times(std::span<const double> estimated_ns, std::span<const double> best_ns);

}  // namespace nestwright
