#include "templates/wide_magnitudes.h"

#include <algorithm>
#include <cmath>

#include "ir/scalar.h"
#include "support/error.h"

namespace nestwright {
namespace {

constexpr int kReach = 24, kFloat16Reach = 6;

}  // namespace

double rounded_to(ir::Type type, double value) {
  if (type == kFloat64) return value;
  if (type == kFloat32) return static_cast<double>(static_cast<float>(value));
  check(type.is_float(), "only numbers of a floating-point type are rounded");
  std::byte element[sizeof(double)];
  ir::write_element(type, ir::float_scalar(value), element);
  return ir::read_element(type, element).f;
}

WideMagnitudes::WideMagnitudes(ir::Type type, std::uint64_t seed)
    : type_(type), reach_(type == kFloat16 ? kFloat16Reach : kReach), random_(seed) {
  check(type.is_float(), "whole numbers are exact in any magnitude");
}

double WideMagnitudes::scale(int low, int high) {
  return std::ldexp(1.0, std::uniform_int_distribution<int>(low, high)(random_));
}

std::vector<double> WideMagnitudes::scales(std::size_t n, int reach) {
  std::vector<double> list(n);
  for (double& each : list) each = scale(-reach, reach);
  return list;
}

double WideMagnitudes::draw(double scale) {
  return rounded_to(type_, scale * std::uniform_real_distribution<double>(-1, 1)(random_));
}

std::vector<double> WideMagnitudes::draw_each(std::size_t n, int most) {
  // Of 64 random bits the first 53 are the mantissa, in [0.5, 1), one is the sign and ten choose the exponent.
  const auto exponents = static_cast<std::uint64_t>(most + reach_ + 1);
  // What is rounded up stays below 2^most.
  constexpr double kLargestMantissa = 1 - 0x1p-8;
  std::vector<double> values(n);
  for (double& value : values) {
    const std::uint64_t bits = random_();
    const double mantissa = std::min(0.5 + std::ldexp(static_cast<double>(bits >> 11), -54), kLargestMantissa);
    const int exponent = static_cast<int>((bits & 0x3ff) * exponents >> 10) - reach_;
    value = rounded_to(type_, std::ldexp((bits & 0x400) != 0 ? -mantissa : mantissa, exponent));
  }
  return values;
}

ProductReach product_reach(const WideMagnitudes& magnitudes, ir::Type type, double terms, std::int64_t rows,
                           std::int64_t columns, bool are_rows_fixed) {
  int result = magnitudes.reach();
  if (type == kFloat16) {
    // Sums of products of numbers in [-1, 1] stay within 2 sqrt(terms), six times their deviation.
    constexpr int kLargestExponent = 15;
    const double room = kLargestExponent - std::log2(2 * std::sqrt(terms));
    result = std::clamp(static_cast<int>(std::floor(room)), 0, result);
  }
  const int of_rows = are_rows_fixed || rows == 1 ? 0 : columns == 1 ? result : result / 2;
  return {of_rows, of_rows == 0 ? result : columns == 1 ? 0 : result / 2, magnitudes.reach() / 4};
}

}  // namespace nestwright
