// The shape in which a caller passes a tensor, where it is not the shape that the expression computes with: the same
// elements in the same order. So an expression may see a plane of 7 x 7 as 49 elements.
//
//   Tensor X = passed_as(placeholder({64, 49}, kFloat32, "X"), {64, 7, 7});
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "expression/tensor.h"

namespace nestwright {

/// `tensor`, for which calls of a kernel pass a tensor of `shape`. It takes the place of `tensor`, which must not be
/// used any more. Throws UsageError if it is one of several results or a scan, if it has strides or an extent that is
/// no constant, and if the number of elements of `shape` is another one.
Tensor passed_as(const Tensor& tensor, std::vector<std::int64_t> shape);

/// `tensor`, passed in the shape in which `other` is passed, whose extents must be constants.
Tensor passed_like(const Tensor& tensor, const Tensor& other);

/// The shape in which calls pass the tensor.
std::vector<Expr> passed_shape(const Tensor& tensor);

}  // namespace nestwright
