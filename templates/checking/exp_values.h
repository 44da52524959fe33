// The exponential in double, for references of millions of elements: as exact as the C library's to a few ulp, and
// several times as fast. Thread rule: a pure function.
#pragma once

#include <span>

namespace nestwright {

/// Replaces each x by exp(x), within 4 ulp. Requires x <= 700; below -708, where results have fewer digits or none,
/// they are at most 4e-308.
void exp_values(std::span<double> values);

}  // namespace nestwright
