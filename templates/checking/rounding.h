// What the error bounds of references are made of.
//
// A sum of n terms in any order: rounding errors are as good as independent, so that they add up like a random walk,
// and each is at most eps times the partial sum that is rounded.
//   Terms of one sign:     8 eps sqrt(n) sum|terms|
//   Terms of either sign:  8 eps sqrt(n sum(terms^2)), for partial sums are a random walk, too (Higham & Mary, SIAM J.
//                          Sci. Comput. 41(5), 2019). For n = 1024 that is 28 times less: a sum that lacks a term is
//                          told from one that was rounded.
// The factor leaves room for the worst of billions of elements. eps is that of the type that is summed in, twice the
// error of one rounding, so that one operation is within eps |result| with room to spare.
// Thread rule: pure functions.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "ir/core/type.h"

namespace nestwright {

/// Requires a floating-point type other than bfloat16.
inline double epsilon_of(ir::Type type) {
  if (type == kFloat16) return 0x1p-10;
  return type == kFloat64 ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
}

/// Of a sum of `terms` terms: relative to the sum of their absolute values, or, where they are of either sign, to the
/// root of the sum of their squares.
inline double summation_error(double terms, ir::Type type) { return 8 * std::sqrt(terms) * epsilon_of(type); }

/// How far a sum of products of either sign may be off. Whole numbers are exact, modulo 2^32.
struct SumError {
  double relative = 0, absolute = 0;
  bool wraps = false;
  /// |error| at most, given the sum of the squares of the products.
  double of(double sum_squares) const { return relative * std::sqrt(sum_squares) + absolute; }
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
