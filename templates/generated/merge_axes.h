// Makes one axis of consecutive axes that all tensors keep together, as y and x of
//
//   O[n, o, y, x] = sum(c, X[n, c, y, x] * W[o, c])     ->     O[n, o, p] = sum(c, X[n, c, p] * W[o, c])
//
// so that a plane of 7 x 7 fills vectors, and rows of several images fill a register tile. Calls pass the tensors in
// the shapes that the operator gives them (expression/passed_shape.h).
// Thread rule: a pure function.
#pragma once

#include "templates/framework/template.h"

namespace nestwright {

/// Replaces the tensors of a definition by ones of merged axes. Two consecutive axes of an operation are merged if its
/// bodies mention them only together, as indices of consecutive dimensions that are merged as well; and dimensions are
/// merged if all reads are of this kind. Definitions of scans, symbolic extents and strided tensors stay as they are.
void merge_axes(Definition& definition);

}  // namespace nestwright
