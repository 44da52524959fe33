// What the error bounds of references are made of.
//
// A sum of n terms in any order: 8 sqrt(n) eps sum|terms|. Rounding errors are as good as independent, so that they add
// up like a random walk; the factor leaves room for the worst of billions of elements. eps is that of the type, twice
// the error of one rounding, so that one operation is within eps |result| with room to spare.
// Thread rule: pure functions.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "ir/type.h"

namespace nestwright {

/// Requires a floating-point type other than bfloat16.
inline double epsilon_of(ir::Type type) {
  if (type == kFloat16) return 0x1p-10;
  return type == kFloat64 ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
}

/// Of a sum of `terms` terms, relative to the sum of their absolute values.
inline double summation_error(double terms, ir::Type type) { return 8 * std::sqrt(terms) * epsilon_of(type); }

/// How far a sum of products may be off: |error| <= relative * sum|a||b| + absolute. Whole numbers are exact, modulo
/// 2^32.
struct SumError {
  double relative = 0, absolute = 0;
  bool wraps = false;
};

/// Of `terms` products, summed in `type`.
inline SumError sum_error(double terms, ir::Type type) {
  if (type.is_int()) return {.wraps = true};
  // Below its normal numbers, which products soon are, float16 has a fixed precision.
  return {.relative = summation_error(terms, type), .absolute = type == kFloat16 ? terms * 0x1p-24 : 0};
}

/// As an int32 that has wrapped around. Requires a whole number below 2^53.
inline double wrapped_int32(double value) {
  return static_cast<double>(static_cast<std::int32_t>(static_cast<std::int64_t>(value)));
}

}  // namespace nestwright
