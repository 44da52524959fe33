// Whether the iterations of loops access different elements: whether the map from iterations to indices is injective.
// Thread rule: a pure function.
#pragma once

#include <vector>

#include "nestwright/program.h"

namespace nestwright::ir {

/// True only where no two iterations of the nest `loops` access a common element at `indices`, while all other
/// variables keep their values. A vector index is a ramp of stride 1, all of whose lanes are accessed.
///
///   loops i in 0..4, j in 0..16:   C[i, j]     true       C[i*16 + j]   true
///                                  C[i*8 + j]  false      C[n/16, n%16] with n = i*16 + j   true
bool is_injective(const std::vector<Expr>& indices, const std::vector<const For*>& loops);

}  // namespace nestwright::ir
