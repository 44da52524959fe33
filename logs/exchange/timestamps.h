// The notations of timestamps: ours is UTC in ISO 8601, "2023-12-22T09:54:05.502007Z"; Kernel Tuner's is that of
// Python, "2023-12-22 09:54:05.502007+00:00".
// Thread rule: pure functions.
#pragma once

#include <string>

namespace nestwright {

/// Ours for a timestamp in Python's notation; any other text is returned as it is.
std::string iso_timestamp(const std::string& text);
/// The inverse.
std::string tuner_timestamp(const std::string& text);

}  // namespace nestwright
