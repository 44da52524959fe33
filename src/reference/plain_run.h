// Runs a program whose terms keep their order, but whose loops run along memory and on all threads: for tensors that
// are too large for loops without a schedule.
//
//   C[i, j] = sum(k, A[i, k]*B[k, j])     parallel i: for k: for j: C[i, j] += A[i, k]*B[k, j]
//
// Thread rule: a pure function, which uses all cores.
#pragma once

#include <vector>

#include "nestwright/array.h"
#include "nestwright/tensor.h"

namespace nestwright {

/// Returns `outputs`, which are computed from `inputs`: placeholders, with their values at the same places of `values`.
/// Requires compact tensors of constant shapes.
std::vector<Array> run_plainly(const std::vector<Tensor>& inputs, const std::vector<const Array*>& values,
                               const std::vector<Tensor>& outputs);

}  // namespace nestwright
