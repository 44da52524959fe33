// Matrix products in double for the references of matmul and convolutions. Sums are compensated every few terms, so
// that their errors are far below the error bounds of float64.
// Thread rule: a pure function, which uses all cores.
#pragma once

#include <cstddef>
#include <vector>

namespace nestwright {

/// For each element of a product, the sum of its terms and the sum of their squares: [m, n] each, row-major.
struct ExactProduct {
  std::vector<double> sum, sum_squares;
};

/// The product of `a`, [m, k], and `b`, [k, n], both row-major.
ExactProduct exact_product(const std::vector<double>& a, const std::vector<double>& b, std::size_t m, std::size_t n,
                           std::size_t k);

}  // namespace nestwright
