// Compares results with their reference.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <span>

#include "ir/core/elements.h"

namespace nestwright {

using ir::element_at;
using ir::encode_elements;

/// The differences between a result and its reference.
struct Comparison {
  std::int64_t first_wrong = -1;   ///< index; -1: all are right
  double largest_error = 0;        ///< absolute; infinite if an element is not a number
  double largest_error_ratio = 0;  ///< error / bound; infinite likewise
};
/// Compares a result with its reference. An element is right if it equals `expected` or |element - expected| <= bound;
/// a NaN element is wrong. If `expected` is NaN, the element must not have been written: all its bytes must still be
/// 0xff. An empty `bound` means zero for every element.
Comparison compare_elements(ir::Type type, const void* memory, std::span<const double> expected,
                            std::span<const double> bound);

}  // namespace nestwright
