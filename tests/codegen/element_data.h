// Test values of every element type, and a comparison of arrays that treats all NaNs as equal.
// Thread rule: pure functions.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "ir/core/fold.h"
#include "ir/core/scalar.h"
#include "nestwright/array.h"

namespace nestwright::testing {

inline std::vector<ir::Scalar> interesting_values(ir::Type type) {
  std::vector<ir::Scalar> values;
  if (type.is_float()) {
    const double infinity = std::numeric_limits<double>::infinity();
    const std::vector<double> magnitudes{0,
                                         0.4,
                                         0.5,
                                         0.75,
                                         1,
                                         1.5,
                                         2,
                                         2.5,
                                         3,
                                         7.9,
                                         100,
                                         127.9,
                                         128,
                                         255.9,
                                         256,
                                         32767.5,
                                         32768,
                                         65504,
                                         65519,
                                         65536,
                                         0x1p31,
                                         0x1p32,
                                         0x1p63,
                                         0x1p64,
                                         1e-3,
                                         0x1p-14,
                                         0x1p-24,
                                         0x1p-25,
                                         0x1.8p-24,
                                         0x1p-126,
                                         0x1p-149,
                                         1e-320,
                                         1e38,
                                         3.5e38,
                                         1e300,
                                         infinity,
                                         1.00390625,
                                         1 + 0x1.8p-11,
                                         0x1.fffffep127,
                                         2049};
    for (double magnitude : magnitudes) {
      for (double value : {magnitude, -magnitude}) values.push_back(ir::float_scalar(ir::round_float(value, type)));
    }
    values.push_back(ir::float_scalar(std::numeric_limits<double>::quiet_NaN()));
    return values;
  }
  std::vector<std::int64_t> integers{0, 1, 2, 3, 5, 7, 8, 100, 127, 128, 255, 1000, 32767, 40000, 65535};
  // Sums and products of int64, the type of indices, are required not to overflow: it stops at half of its bits.
  for (int bit = 20; bit < (type == kInt64 ? 30 : 64); ++bit) integers.push_back(std::int64_t{1} << bit);
  const std::size_t positive = integers.size();
  for (std::size_t i = 0; i < positive; ++i) {
    integers.push_back(ir::wrap_int(-static_cast<std::uint64_t>(integers[i]), kInt64));
    if (type != kInt64) integers.push_back(ir::wrap_int(static_cast<std::uint64_t>(integers[i]) - 1, kInt64));
  }
  for (std::int64_t value : integers) values.push_back(ir::integer_scalar(ir::wrap_int(value, type)));
  return values;
}

/// Fills with interesting values; two operands of one operation take different values of `shift`.
inline void fill(Array& array, unsigned shift) {
  const ir::Type type = array.type();
  const std::vector<ir::Scalar> values = interesting_values(type);
  std::mt19937 random(shift);
  auto* at = static_cast<std::byte*>(array.data());
  for (std::int64_t i = 0; i < array.elements(); ++i, at += type.bytes()) {
    const std::size_t in_order = static_cast<std::size_t>(i) % values.size();
    ir::write_element(type, values[shift == 0 ? in_order : random() % values.size()], at);
  }
}

inline bool same_elements(const Array& a, const Array& b, std::int64_t* differing = nullptr) {
  const ir::Type type = a.type();
  for (std::int64_t i = 0; i < a.elements(); ++i) {
    const auto bytes = static_cast<std::size_t>(type.bytes());
    const auto* at_a = static_cast<const std::byte*>(a.data()) + bytes * static_cast<std::size_t>(i);
    const auto* at_b = static_cast<const std::byte*>(b.data()) + bytes * static_cast<std::size_t>(i);
    if (std::memcmp(at_a, at_b, bytes) == 0) continue;
    if (type.is_float() && std::isnan(ir::read_element(type, at_a).f) && std::isnan(ir::read_element(type, at_b).f)) {
      continue;
    }
    if (differing != nullptr) *differing = i;
    return false;
  }
  return true;
}

}  // namespace nestwright::testing
