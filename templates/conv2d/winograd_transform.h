// One dimension of Winograd's minimal filtering F(m, 3): m results of a 3-tap filter from m + 2 products. In matrices,
//   Y = A^T [(G g) * (B^T d)] / s
// where d are m + 2 inputs, g the filter and s an integer that keeps G dyadic. In two dimensions, the transforms
// are applied to the columns and then to the rows; F(m x n, 3 x 3) has m rows and n columns of results.
//
// A. Lavin and S. Gray, "Fast Algorithms for Convolutional Neural Networks" (CVPR 2016) evaluate F(4, 3) at 0, 1, -1,
// 2, -2 and infinity. Here the points are 0, 1, -1, 2, -1/2 and infinity: as many products and 20 more additions per
// tile, but a third of the error (winograd.cpp has the measurements).
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "nestwright/expr_nodes.h"

namespace nestwright {

/// The number of inputs, and of products, for `outputs` (2 or 4) results.
inline std::int64_t winograd_points(std::int64_t outputs) { return outputs + 2; }

/// s^2, by which the results of two dimensions must be divided. A multiple of it, times its inverse in float32, is
/// exact.
double winograd_scale(std::int64_t outputs);

/// The transforms B^T d of m + 2 inputs, G g of 3 weights, and A^T m of m + 2 products.
std::vector<ir::Expr> winograd_inputs(std::int64_t outputs, const std::vector<ir::Expr>& d);
std::vector<ir::Expr> winograd_weights(std::int64_t outputs, const std::vector<ir::Expr>& g);
std::vector<ir::Expr> winograd_outputs(std::int64_t outputs, const std::vector<ir::Expr>& m);

/// Element `index` of `values`, by selects that fold away where the loop over `index` is unrolled.
ir::Expr winograd_element(const ir::Expr& index, const std::vector<ir::Expr>& values);

}  // namespace nestwright
