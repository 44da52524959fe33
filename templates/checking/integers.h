// Inputs on which a result must be exact: integers so small that the type represents every partial sum, in any
// order of summation. A missing term, a duplicated term or a result that was never computed then shows as a difference,
// in every type and for any number of terms.
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

#include "nestwright/template.h"
#include "nestwright/type.h"

namespace nestwright {

/// The largest integer up to which a floating-point type holds all of them.
double largest_exact(ir::Type type);

/// Positive numbers have the same magnitudes. What rectifies sums, as relu does, leaves theirs as they are.
enum class Signs : std::uint8_t { kMixed, kPositive };

class SmallIntegers {
 public:
  /// For sums of `terms` terms, each the product of `factors` (1 or 2) drawn numbers, whose absolute values must add up
  /// to at most `largest`. Requires largest >= 16.
  SmallIntegers(double terms, int factors, double largest, std::uint64_t seed, Signs signs = Signs::kMixed);

  /// `n` numbers between 1 and 8 in absolute value; if there are too many terms even for ones, some numbers are zero.
  InputSource draw(std::size_t n);

 private:
  std::mt19937_64 random_;
  Signs signs_;
  int magnitude_ = 1;
  double nonzero_ = 1;  ///< share of the numbers that are not zero
};

}  // namespace nestwright
