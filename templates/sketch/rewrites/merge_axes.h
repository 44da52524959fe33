// Makes one axis of consecutive axes that all tensors keep together, as y and x of
//
//   O[n, o, y, x] = sum(c, X[n, c, y, x] * W[o, c])     ->     O[n, o, p] = sum(c, X[n, c, p] * W[o, c])
//
// so that a plane of 7 x 7 fills vectors, and rows of several images fill a register tile. Calls pass the tensors in
// the shapes that the operator gives them (nestwright/tensor.h).
// Thread rule: a pure function.
#pragma once

#include "nestwright/template.h"

namespace nestwright {

/// Replaces the tensors of a definition by ones of merged axes. Starts with all neighbours merged and takes back two
/// axes of an operation if a body mentions one of them otherwise than both as the indices of two merged dimensions, and
/// two dimensions of a tensor if a read has other indices there, or an inner axis that is shorter than the dimension.
/// Strided tensors and tuples keep their axes, as do definitions that have a scan or an extent that is no constant.
void merge_axes(Definition& definition);

}  // namespace nestwright
