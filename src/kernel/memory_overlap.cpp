#include "kernel/memory_overlap.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

namespace nestwright {
namespace {

/// Calls f(extent, stride in bytes) for every dimension with more than one element, innermost first.
template <class F>
void for_each_dimension(const ArrayRef& array, const F& f) {
  std::int64_t compact = array.type.bytes();
  for (std::size_t d = array.shape.size(); d-- > 0;) {
    const std::int64_t stride = array.strides.empty() ? compact : array.strides[d] * std::int64_t{array.type.bytes()};
    compact *= array.shape[d];
    if (array.shape[d] > 1) f(array.shape[d], stride);
  }
}

bool is_empty(const ArrayRef& array) {
  return std::find(array.shape.begin(), array.shape.end(), 0) != array.shape.end();
}

/// An array as rows of `length` bytes, each `pitch` bytes after the previous one; pitch 0 if there is one row.
struct Rows {
  std::int64_t pitch = 0, length = 0;
};
Rows rows_of(const ArrayRef& array) {
  Rows rows{0, array.type.bytes()};
  std::int64_t outer_reach = 0;
  for_each_dimension(array, [&](std::int64_t extent, std::int64_t stride) {
    const std::int64_t reach = (extent - 1) * std::abs(stride);
    rows.length += reach;
    if (std::abs(stride) <= rows.pitch) return;
    rows.pitch = std::abs(stride);
    outer_reach = reach;
  });
  rows.length -= outer_reach;
  // Rows without gaps between them are one row.
  if (rows.pitch == rows.length) rows = {0, rows.length + outer_reach};
  return rows;
}

}  // namespace

ByteRange bytes_of(const ArrayRef& array) {
  const auto at = reinterpret_cast<std::uintptr_t>(array.data);
  if (array.strides.empty()) {
    std::uintptr_t bytes = static_cast<std::uintptr_t>(array.type.bytes());
    for (const std::int64_t extent : array.shape) bytes *= static_cast<std::uintptr_t>(extent);
    return {at, at + bytes};
  }
  if (is_empty(array)) return {at, at};
  ByteRange range{at, at + static_cast<std::uintptr_t>(array.type.bytes())};
  for_each_dimension(array, [&](std::int64_t extent, std::int64_t stride) {
    const std::int64_t reach = (extent - 1) * stride;
    (reach < 0 ? range.begin : range.end) += static_cast<std::uintptr_t>(reach);
  });
  return range;
}

bool may_overlap(const ArrayRef& a, const ArrayRef& b) {
  const ByteRange one = bytes_of(a), other = bytes_of(b);
  if (one.begin == one.end || other.begin == other.end) return false;
  if (one.end <= other.begin || other.end <= one.begin) return false;
  const Rows rows = rows_of(a), other_rows = rows_of(b);
  const std::int64_t pitch = std::max(rows.pitch, other_rows.pitch);
  if ((rows.pitch != pitch && rows.pitch != 0) || (other_rows.pitch != pitch && other_rows.pitch != 0)) return true;
  if (pitch == 0 || rows.length > pitch || other_rows.length > pitch) return true;
  auto shift = static_cast<std::int64_t>(other.begin - one.begin) % pitch;
  if (shift < 0) shift += pitch;
  return shift < rows.length || shift + other_rows.length > pitch;
}

bool may_overlap_itself(const ArrayRef& array) {
  if (array.strides.empty() || is_empty(array)) return false;
  std::vector<std::pair<std::int64_t, std::int64_t>> dimensions;  // stride, reach
  for_each_dimension(array, [&](std::int64_t extent, std::int64_t stride) {
    dimensions.emplace_back(std::abs(stride), (extent - 1) * std::abs(stride));
  });
  std::sort(dimensions.begin(), dimensions.end());
  std::int64_t length = array.type.bytes();
  for (const auto& [stride, reach] : dimensions) {
    if (stride < length) return true;
    length += reach;
  }
  return false;
}

}  // namespace nestwright
