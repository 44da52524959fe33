// Inputs on which a result has to be exact: whole numbers, so small that every sum of some of the terms is one that the
// type can hold, in whatever order they are added. A result that lacks a term, has one twice or was never computed is
// then told from one that was rounded, in every type and for any number of terms.
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "ir/core/type.h"

namespace nestwright {

/// The largest whole number up to which a floating-point type holds all of them.
double largest_exact(ir::Type type);

class WholeNumbers {
 public:
  /// For sums of `terms` terms, each the product of `factors` (1 or 2) drawn numbers, whose absolute values are to add
  /// up to no more than `largest`. Requires largest >= 16.
  WholeNumbers(double terms, int factors, double largest, std::uint64_t seed);

  /// Between 1 and 8 in absolute value; where there are too many terms for ones, some of them are zeros.
  std::vector<double> draw(std::size_t n);

 private:
  std::mt19937_64 random_;
  int magnitude_ = 1;
  double nonzero_ = 1;  ///< share
};

}  // namespace nestwright
