// What the error bounds of references are made of.
//
// A sum of n terms in any order: 8 sqrt(n) eps sum|terms|. Rounding errors are as good as independent, so that they add
// up like a random walk; the factor leaves room for the worst of billions of elements. eps is that of the type, twice
// the error of one rounding, so that one operation is within eps |result| with room to spare.
// Thread rule: pure functions.
#pragma once

#include <cmath>
#include <limits>

#include "ir/type.h"

namespace nestwright {

/// Requires a floating-point type.
inline double epsilon_of(ir::Type type) {
  return type == kFloat64 ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
}

/// Of a sum of `terms` terms, relative to the sum of their absolute values.
inline double summation_error(double terms, ir::Type type) { return 8 * std::sqrt(terms) * epsilon_of(type); }

}  // namespace nestwright
