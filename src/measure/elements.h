// Tensors' elements between memory and double, and the comparison of a result with its reference.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <span>

#include "ir/core/type.h"

namespace nestwright {

/// Writes the values to `memory` as elements of `type`, rounded to nearest. Requires room for all of them.
void encode_elements(ir::Type type, std::span<const double> values, void* memory);

/// Element `index` as a double.
double element_at(ir::Type type, const void* memory, std::int64_t index);

struct Comparison {
  std::int64_t first_wrong = -1;   ///< index; -1: all are right
  double largest_error = 0;        ///< absolute; infinite where something is not a number
  double largest_error_ratio = 0;  ///< error / bound; infinite likewise
};
/// An element is right where it equals `expected` or |element - expected| <= bound; not-a-number never is. Where
/// `expected` is not-a-number, nothing may have been written: all bytes of the element must still be 0xff. No bounds at
/// all: they are zero.
Comparison compare_elements(ir::Type type, const void* memory, std::span<const double> expected,
                            std::span<const double> bound);

}  // namespace nestwright
