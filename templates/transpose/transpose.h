// The transposition of a matrix: Y[j, i] = X[i, j].
// Thread rule: pure functions.
#pragma once

#include "templates/framework/template.h"

namespace nestwright {

Operator transpose_operator();

/// The elements themselves: nothing is rounded, so that every bound is 0.
Reference transpose_reference(const Workload& workload, const HostTensors& inputs);

/// For any sizes, types and x86-64 targets: square tiles that are transposed in registers, in blocks.
Template transpose_cpu_template();

Template transpose_gpu_template();

}  // namespace nestwright
