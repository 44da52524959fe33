// The transposition of a matrix: Y[j, i] = X[i, j].
// Thread rule: pure functions.
#pragma once

#include "nestwright/template.h"

namespace nestwright {

Operator transpose_operator();

/// The elements themselves: nothing is rounded, so that every bound is 0.
Reference transpose_reference(const Workload& workload, const HostTensors& inputs);

Template transpose_gpu_template();

}  // namespace nestwright
