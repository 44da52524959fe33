// Recovers the numbers whose digits in mixed radix the coordinates of an element are: a fused loop, split by factors
// that need not divide it, accesses elements at quotients and remainders of one linear index, and two iterations access
// a common element only if that index has the same value in both.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/analysis/ranges.h"
#include "ir/traversal/linear.h"

namespace nestwright::ir {

/// A digit of a number: number / divisor % modulus with floor division; modulus 0: number / divisor, the leading digit.
struct Digit {
  Linear number;
  std::int64_t divisor = 1;
  std::int64_t modulus = 0;
};

/// The digit that an index is, a scalar. Sums around quotients and nested divisions by constants are joined:
///
///   a*3 + (b + 2)/4           (a*12 + b + 2) / 4
///   (x/4 + y)/5 % 3 % 6       (x + y*4) / 20 % 3
///
/// Any other index is a number by itself, with divisor 1 and without modulus.
Digit digit_of(const Expr& index);

/// A number that the indices of an access determine, because they, or parts of them, are its digits.
struct DigitSum {
  Linear number;
  /// weights[d] * indices[d], summed over all d, is `sum`, which is a multiple of the number, perhaps plus other parts
  /// of the indices. Empty where a part enters the number without the rest of its index.
  std::vector<std::int64_t> weights;
  Linear sum;
};

/// The numbers of which the indices are the digits, also where an index is the sum of several: top * step + rest with
/// 0 <= rest < step for all values that `known` allows.
///
///   {x / 12, x / 4 % 3, x % 4}     x = 12 * [0] + 4 * [1] + [2]
///   {x / 12, x % 12 * 16 + y}      x, and 16 * x + y = 192 * [0] + [1], where 0 <= y < 16
///   {x / 12 * 8 + x % 12}          nothing: the remainder exceeds the step
///   {x / 7, y % 7}                 nothing, unless x - y is a multiple of 7
std::vector<DigitSum> digit_sums(const std::vector<Expr>& indices, const Ranges& known);

}  // namespace nestwright::ir
