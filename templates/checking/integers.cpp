#include "templates/checking/integers.h"

#include <algorithm>
#include <cmath>

#include "nestwright/error.h"
#include "templates/checking/draw_elements.h"

namespace nestwright {

double largest_exact(ir::Type type) {
  if (type == kFloat16) return 0x1p11;
  if (type == kBFloat16) return 0x1p8;
  return type == kFloat64 ? 0x1p53 : 0x1p24;
}

SmallIntegers::SmallIntegers(double terms, int factors, double largest, std::uint64_t seed, Signs signs)
    : random_(seed), signs_(signs) {
  check(largest >= 16 && terms >= 1 && (factors == 1 || factors == 2), "integers need a few terms to be drawn for");
  constexpr int kMaxMagnitude = 8;
  const double affordable = std::pow(largest / terms, 1.0 / factors);
  magnitude_ = static_cast<int>(std::clamp(affordable, 1.0, static_cast<double>(kMaxMagnitude)));
  // The expected number of nonzero terms, as a share of `largest`. Random deviations are far smaller than the remaining
  // quarter.
  constexpr double kMargin = 0.75;
  if (affordable < 1) nonzero_ = std::pow(kMargin * largest / terms, 1.0 / factors);
}

InputSource SmallIntegers::draw(std::size_t n) {
  const bool is_mixed = signs_ == Signs::kMixed;
  return draw_elements(n, random_, [magnitude = magnitude_, nonzero = nonzero_, is_mixed](auto& random, std::size_t) {
    if (draw_canonical(random) >= nonzero) return 0.0;
    const int number = std::uniform_int_distribution<int>(1, magnitude)(random);
    // Without a branch, which would be mispredicted half of the time.
    const bool is_negative = static_cast<int>(draw_canonical(random) < 0.5) & static_cast<int>(is_mixed);
    return static_cast<double>(is_negative ? -number : number);
  });
}

}  // namespace nestwright
