#include "templates/checking/mixed_magnitudes.h"

#include <algorithm>
#include <cmath>

#include "ir/core/fold.h"
#include "nestwright/error.h"
#include "support/data/hash.h"
#include "templates/checking/draw_elements.h"

namespace nestwright {
namespace {

constexpr int kReach = 24, kFloat16Reach = 6;
constexpr double kLargestMantissa = 1 - 0x1p-8;  // what is rounded up stays below 1

}  // namespace

// The other sets of inputs are seeded with the hash itself and with the hash + 1.
MixedMagnitudes::MixedMagnitudes(ir::Type type, const Workload& workload)
    : type_(type), reach_(type == kFloat16 ? kFloat16Reach : kReach), random_(stable_hash(workload.str()) + 2) {
  check(type.is_float(), "integers are exact in any magnitude");
}

double MixedMagnitudes::scale(int low, int high) {
  return std::ldexp(1.0, std::uniform_int_distribution<int>(low, high)(random_));
}

std::vector<double> MixedMagnitudes::scales(std::size_t n, int reach) {
  std::vector<double> list(n);
  for (double& each : list) each = scale(-reach, reach);
  return list;
}

InputSource MixedMagnitudes::draw_scaled(std::size_t n, std::function<double(std::size_t)> scale_of) {
  return draw_elements(n, random_, [type = type_, scale_of = std::move(scale_of)](auto& random, std::size_t i) {
    return ir::round_float(scale_of(i) * draw_uniform(random, -1, 1), type);
  });
}

InputSource MixedMagnitudes::draw_rows(std::int64_t rows, std::size_t columns, int low, int high) {
  std::vector<double> of_rows(static_cast<std::size_t>(rows));
  for (double& each : of_rows) each = scale(low, high);
  const std::size_t n = of_rows.size() * columns;
  return draw_scaled(n, [of_rows = std::move(of_rows), columns](std::size_t i) { return of_rows[i / columns]; });
}

InputSource MixedMagnitudes::draw_each(std::size_t n, int most) {
  // Of 64 random bits the first 53 are the mantissa, in [0.5, 1), one is the sign and ten choose the exponent.
  const auto exponents = static_cast<std::uint64_t>(most + reach_ + 1);
  return draw_elements(n, random_, [type = type_, reach = reach_, exponents](auto& random, std::size_t) {
    const std::uint64_t bits = random();
    const double mantissa = std::min(0.5 + std::ldexp(static_cast<double>(bits >> 11), -54), kLargestMantissa);
    const int exponent = static_cast<int>((bits & 0x3ff) * exponents >> 10) - reach;
    return ir::round_float(std::ldexp((bits & 0x400) != 0 ? -mantissa : mantissa, exponent), type);
  });
}

ProductReach product_reach(const MixedMagnitudes& magnitudes, ir::Type type, double terms, std::int64_t rows,
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
