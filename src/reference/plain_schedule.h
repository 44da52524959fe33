// A schedule whose terms keep their order, but whose loops run along memory and on all threads: for tensors that are
// too large for loops without a schedule.
//
//   C[i, j] = sum(k, A[i, k]*B[k, j])     parallel i: for k: for j: C[i, j] += A[i, k]*B[k, j]
//
// Thread rule: a pure function.
#pragma once

#include <vector>

#include "nestwright/schedule.h"
#include "nestwright/tensor.h"

namespace nestwright {

Schedule plain_schedule(const std::vector<Tensor>& outputs);

}  // namespace nestwright
