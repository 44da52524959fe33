#include "measure/check/elements.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "nestwright/error.h"

namespace nestwright {

namespace {

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

Comparison compare_elements(ir::Type type, const void* memory, std::span<const double> expected,
                            std::span<const double> bound) {
  const bool is_exact = bound.empty();
  check(is_exact || expected.size() == bound.size(), "each expected element needs a bound");
  return ir::with_element(type, [&]<class T>(T*) -> Comparison {
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
