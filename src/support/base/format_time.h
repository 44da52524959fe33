// Formats times for people.
// Thread rule: pure functions.
#pragma once

#include <string>

namespace nestwright {

/// Returns a time with four digits and a unit: "1.234 ms", "56.7 us".
std::string format_time(double ns);

}  // namespace nestwright
