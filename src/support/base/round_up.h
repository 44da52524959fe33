// Rounding of sizes: round_up(70, 64) is 128. Thread rule: a pure function.
#pragma once

#include <concepts>
#include <type_traits>

namespace nestwright {

/// The smallest multiple of `unit` that is not below `value`. Requires value >= 0 and unit > 0, and that T holds
/// value + unit - 1.
template <std::integral T>
constexpr T round_up(T value, std::type_identity_t<T> unit) {
  return (value + (unit - 1)) / unit * unit;
}

}  // namespace nestwright
