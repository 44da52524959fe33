#include "bench/gpu/allowed_error.h"

#include <cmath>

#include "templates/checking/rounding.h"

namespace nestwright::bench {

// The inputs of the reference and of the library are both neighbours of the input in tf32: they differ by at most 2^-10
// of it, and a product by d = 2 * 2^-10. The errors of k products a b add up like a random walk, to at most
// d sqrt(sum (a b)^2). Eight times as much is allowed, as for every sum (templates/checking/rounding.h): 18 times the
// standard deviation where the library truncates. The reference's bound is 8 eps sqrt(k) sqrt(sum (a b)^2).
double product_allowed_error(const MatmulShape& shape) {
  if (!shape.in_tf32) return 1;
  constexpr double kProductError = 2 * 0x1p-10;
  return 1 + 8 * kProductError / summation_error(static_cast<double>(shape.k), kFloat32);
}

}  // namespace nestwright::bench
