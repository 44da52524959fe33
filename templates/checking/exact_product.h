// Products of matrices in double, their sums compensated every few terms: far more exact than bounds of float64 are
// tight. What the references of matmul and of convolutions are made of.
// Thread rule: a pure function, which uses all cores.
#pragma once

#include <cstddef>
#include <vector>

namespace nestwright {

/// The sums of a product and those of its terms' squares, [m, n] each, row-major.
struct ExactProduct {
  std::vector<double> sum, sum_squares;
};

/// Of `a`, [m, k], and `b`, [k, n], both row-major.
ExactProduct exact_product(const std::vector<double>& a, const std::vector<double>& b, std::size_t m, std::size_t n,
                           std::size_t k);

}  // namespace nestwright
