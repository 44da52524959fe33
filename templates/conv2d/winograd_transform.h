// One dimension of Winograd's minimal filtering F(m, 3): m results of a filter of 3 from m + 2 products. In matrices,
//   Y = A^T [(G g) * (B^T d)] / s
// where d are m + 2 inputs, g the filter and s a whole number that keeps G dyadic. Two dimensions are the same applied
// to columns and then to rows, m rows and n columns of results being F(m x n, 3 x 3).
//
// A. Lavin and S. Gray, "Fast Algorithms for Convolutional Neural Networks" (CVPR 2016) evaluate F(4, 3) at 0, 1, -1,
// 2, -2 and infinity. Here it is 0, 1, -1, 2, -1/2 and infinity: as many products, and 20 more additions a tile, but a
// third of the error (winograd.cpp says what it is).
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/core/expr.h"

namespace nestwright {

/// Inputs and products of `outputs` (2 or 4) results.
inline std::int64_t winograd_points(std::int64_t outputs) { return outputs + 2; }

/// s^2: what the results of two dimensions are to be divided by. A multiple of it, times its inverse in float32, is
/// exact.
double winograd_scale(std::int64_t outputs);

/// B^T d, G g and A^T m: of m + 2 inputs, of 3 weights, of m + 2 products.
std::vector<ir::Expr> winograd_inputs(std::int64_t outputs, const std::vector<ir::Expr>& d);
std::vector<ir::Expr> winograd_weights(std::int64_t outputs, const std::vector<ir::Expr>& g);
std::vector<ir::Expr> winograd_outputs(std::int64_t outputs, const std::vector<ir::Expr>& m);

/// Element number `index` of `values`: a choice that disappears where the loop over it is unrolled.
ir::Expr winograd_element(const ir::Expr& index, const std::vector<ir::Expr>& values);

}  // namespace nestwright
