// Determines which bytes of memory an argument covers and whether two arguments share any. Private to kernel/.
// Thread rule: pure functions. Units: bytes.
#pragma once

#include <cstdint>

#include "nestwright/array.h"

namespace nestwright {

/// The bytes from the first element to the end of the last one; begin == end if there are no elements.
struct ByteRange {
  std::uintptr_t begin = 0, end = 0;
};
/// Returns the bytes that an argument covers, from its lowest to its highest element.
ByteRange bytes_of(const ArrayRef& array);

/// Returns false only if no byte belongs to both. Interleaved arguments, e.g. the left and the right half of a matrix,
/// are recognised as disjoint if their rows have the same pitch.
bool may_overlap(const ArrayRef& a, const ArrayRef& b);

/// Whether two elements of the array may have the same address.
bool may_overlap_itself(const ArrayRef& array);

}  // namespace nestwright
