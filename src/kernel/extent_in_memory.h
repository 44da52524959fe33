// Which bytes an argument covers, and whether two of them share any. Internal to kernel/.
// Thread rule: pure functions. Units: bytes.
#pragma once

#include <cstdint>

#include "runtime/array_view.h"

namespace nestwright {

/// The bytes from the first element to the end of the last; begin == end where there is no element.
struct ByteRange {
  std::uintptr_t begin = 0, end = 0;
};
ByteRange bytes_of(const ArrayRef& array);

/// False only where no byte is part of both. Arguments that lie in turns in memory, as the left and the right half of a
/// matrix do, are told apart where their rows are equally far from each other.
bool may_overlap(const ArrayRef& a, const ArrayRef& b);

/// Whether two elements of the array may be at one place.
bool may_overlap_itself(const ArrayRef& array);

}  // namespace nestwright
