#include "measure/elements.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "support/error.h"

namespace nestwright {

namespace {

struct Bool {
  std::uint8_t bits;
  static Bool from(double v) { return {static_cast<std::uint8_t>(v != 0)}; }
  explicit operator double() const { return bits; }
};

struct BFloat16 {
  std::uint16_t bits;
  static BFloat16 from(double v) {
    const auto wide = std::bit_cast<std::uint32_t>(static_cast<float>(v));
    if (std::isnan(v)) return {0x7fc0};
    return {static_cast<std::uint16_t>((wide + 0x7fff + ((wide >> 16) & 1)) >> 16)};  // to nearest, ties to even
  }
  explicit operator double() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
};

template <class T>
T from_double(double v) {
  if constexpr (requires { T::from(v); }) {
    return T::from(v);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(std::nearbyint(v));
  } else {
    return static_cast<T>(v);
  }
}

// Calls `work` with a null pointer of the C++ type of the elements.
template <class Work>
auto with_element(ir::Type type, Work work) {
  switch (type.code) {
    case ir::TypeCode::kBool:
      return work(static_cast<Bool*>(nullptr));
    case ir::TypeCode::kBFloat:
      return work(static_cast<BFloat16*>(nullptr));
    case ir::TypeCode::kFloat:
      if (type.bits == 16) return work(static_cast<_Float16*>(nullptr));
      if (type.bits == 32) return work(static_cast<float*>(nullptr));
      return work(static_cast<double*>(nullptr));
    case ir::TypeCode::kInt:
      if (type.bits == 8) return work(static_cast<std::int8_t*>(nullptr));
      if (type.bits == 16) return work(static_cast<std::int16_t*>(nullptr));
      if (type.bits == 32) return work(static_cast<std::int32_t*>(nullptr));
      return work(static_cast<std::int64_t*>(nullptr));
    case ir::TypeCode::kUInt:
      if (type.bits == 8) return work(static_cast<std::uint8_t*>(nullptr));
      if (type.bits == 16) return work(static_cast<std::uint16_t*>(nullptr));
      if (type.bits == 32) return work(static_cast<std::uint32_t*>(nullptr));
      return work(static_cast<std::uint64_t*>(nullptr));
  }
  throw InternalError("internal error: an element type that is none of the known ones");
}

bool is_right(double got, double expected, double bound) {
  return got == expected || std::abs(got - expected) <= bound;
}

/// Whether all bytes still hold the poison.
template <class T>
bool is_untouched(const T& element) {
  std::array<unsigned char, sizeof(T)> bytes{};
  std::memcpy(bytes.data(), &element, sizeof(T));
  return std::all_of(bytes.begin(), bytes.end(), [](unsigned char byte) { return byte == 0xff; });
}

}  // namespace

void encode_elements(ir::Type type, std::span<const double> values, void* memory) {
  with_element(type, [&]<class T>(T*) {
    T* out = static_cast<T*>(memory);
    for (std::size_t i = 0; i < values.size(); ++i) out[i] = from_double<T>(values[i]);
  });
}

double element_at(ir::Type type, const void* memory, std::int64_t index) {
  return with_element(type,
                      [&]<class T>(T*) -> double { return static_cast<double>(static_cast<const T*>(memory)[index]); });
}

Comparison compare_elements(ir::Type type, const void* memory, std::span<const double> expected,
                            std::span<const double> bound) {
  const bool is_exact = bound.empty();
  check(is_exact || expected.size() == bound.size(), "each expected element needs a bound");
  return with_element(type, [&]<class T>(T*) -> Comparison {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const T* got = static_cast<const T*>(memory);
    const auto allowed = [&](std::size_t i) { return is_exact ? 0 : bound[i]; };
    Comparison result;
    bool wrong = false;
    // The loop has no branch, so that it runs at the speed of memory: it runs at least twice per candidate.
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double value = static_cast<double>(got[i]);
      const double difference = std::abs(value - expected[i]);
      const bool between = expected[i] != expected[i];
      const double error = value == expected[i] || between ? 0 : difference <= kInfinity ? difference : kInfinity;
      const double ratio = error == 0 ? 0 : error / allowed(i);
      wrong |= !is_right(value, expected[i], allowed(i));
      result.largest_error = std::max(result.largest_error, error);
      result.largest_error_ratio = std::max(result.largest_error_ratio, ratio);
    }
    for (std::size_t i = 0; wrong && result.first_wrong < 0 && i < expected.size(); ++i) {
      const bool right = std::isnan(expected[i]) ? is_untouched(got[i])
                                                 : is_right(static_cast<double>(got[i]), expected[i], allowed(i));
      if (!right) result.first_wrong = static_cast<std::int64_t>(i);
    }
    return result;
  });
}

}  // namespace nestwright
