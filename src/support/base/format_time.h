// Formats times for people.
// Thread rule: pure functions.
#pragma once

#include <string>

namespace nestwright {

/// Returns a time with four digits and a unit: "1.234 ms", "56.7 us".
std::string format_time(double ns);

/// Returns a median and its interval: "1.234 ms [1.2 ms .. 1.25 ms]".
std::string format_time_range(double median_ns, double low_ns, double high_ns);

}  // namespace nestwright
