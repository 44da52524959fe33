// Elements of tensors as they lie in memory, and their values in double.
// Thread rule: pure functions.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "nestwright/error.h"
#include "nestwright/type.h"

namespace nestwright::ir {

/// Writes `values` to `memory` as elements of `type`, rounded to nearest. Requires room for all of them.
void encode_elements(Type type, std::span<const double> values, void* memory);

/// Reads elements `begin`, `begin` + `stride`, ... of the tensor at `memory`, one for each of `values`.
void decode_elements(Type type, const void* memory, std::size_t begin, std::size_t stride, std::span<double> values);

/// Returns element `index` as a double.
double element_at(Type type, const void* memory, std::int64_t index);

/// The elements of the types that C++ 20 does not have.
struct BoolElement {
  std::uint8_t bits;
  static BoolElement from(double v) { return {static_cast<std::uint8_t>(v != 0)}; }
  explicit operator double() const { return bits; }
};
struct BFloat16Element {
  std::uint16_t bits;
  static BFloat16Element from(double v) {
    const auto wide = std::bit_cast<std::uint32_t>(static_cast<float>(v));
    if (std::isnan(v)) return {0x7fc0};
    return {static_cast<std::uint16_t>((wide + 0x7fff + ((wide >> 16) & 1)) >> 16)};  // to nearest, ties to even
  }
  explicit operator double() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
};

/// Calls `work` with a null pointer of the C++ type of the elements, to which values are converted explicitly.
template <class Work>
auto with_element(Type type, const Work& work) {
  switch (type.code) {
    case TypeCode::kBool:
      return work(static_cast<BoolElement*>(nullptr));
    case TypeCode::kBFloat:
      return work(static_cast<BFloat16Element*>(nullptr));
    case TypeCode::kFloat:
      if (type.bits == 16) return work(static_cast<_Float16*>(nullptr));
      if (type.bits == 32) return work(static_cast<float*>(nullptr));
      return work(static_cast<double*>(nullptr));
    case TypeCode::kInt:
      if (type.bits == 8) return work(static_cast<std::int8_t*>(nullptr));
      if (type.bits == 16) return work(static_cast<std::int16_t*>(nullptr));
      if (type.bits == 32) return work(static_cast<std::int32_t*>(nullptr));
      return work(static_cast<std::int64_t*>(nullptr));
    case TypeCode::kUInt:
      if (type.bits == 8) return work(static_cast<std::uint8_t*>(nullptr));
      if (type.bits == 16) return work(static_cast<std::uint16_t*>(nullptr));
      if (type.bits == 32) return work(static_cast<std::uint32_t*>(nullptr));
      return work(static_cast<std::uint64_t*>(nullptr));
  }
  throw InternalError("internal error: an element type that is none of the known ones");
}

}  // namespace nestwright::ir
