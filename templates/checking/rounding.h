// Rounding error bounds for the references of operators.
//
// A sum of n terms in any order: rounding errors are nearly independent, so that they add up like a random walk, and
// each is at most eps times the rounded partial sum.
//   Terms of one sign:     8 eps sqrt(n) sum|terms|
//   Terms of mixed signs:  8 eps sqrt(n sum(terms^2)), as partial sums are a random walk, too (Higham & Mary, SIAM J.
//                          Sci. Comput. 41(5), 2019). For n = 1024 that is 28 times less: it separates a sum that
//                          lacks a term from one that was only rounded.
// The factor 8 leaves room for the worst of billions of elements. eps is the machine epsilon of the accumulator's type,
// twice the unit roundoff, so that one operation is within eps |result| with room to spare.
// Thread rule: pure functions.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "nestwright/type.h"

namespace nestwright {

/// The machine epsilon. Requires a floating-point type other than bfloat16.
inline double epsilon_of(ir::Type type) {
  if (type == kFloat16) return 0x1p-10;
  return type == kFloat64 ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
}

/// The error bound of a sum of `terms` terms, relative to the sum of their absolute values or, for mixed signs, to the
/// root of the sum of their squares.
inline double summation_error(double terms, ir::Type type) { return 8 * std::sqrt(terms) * epsilon_of(type); }

/// The error bound of a sum of products of mixed signs. Integer sums are exact modulo 2^32.
struct SumError {
  double relative = 0, absolute = 0;
  bool wraps = false;
  /// The largest |error|, given the sum of the squares of the products.
  double of(double sum_squares) const { return relative * std::sqrt(sum_squares) + absolute; }
};

/// The bound for `terms` products that are summed in `type`.
inline SumError sum_error(double terms, ir::Type type) {
  if (type.is_int()) return {.wraps = true};
  // Products are often subnormal in float16, where the spacing of numbers is fixed.
  return {.relative = summation_error(terms, type), .absolute = type == kFloat16 ? terms * 0x1p-24 : 0};
}

/// `value` wrapped around to int32. Requires an integer below 2^53.
inline double wrapped_int32(double value) {
  return static_cast<double>(static_cast<std::int32_t>(static_cast<std::int64_t>(value)));
}

}  // namespace nestwright
