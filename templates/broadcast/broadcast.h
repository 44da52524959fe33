// An element-wise function of a matrix and a vector that is broadcast to all rows or to all columns: Y[i, j] = f(X[i,
// j], V[j]) or f(X[i, j], V[i]).
// Thread rule: pure functions.
#pragma once

#include "nestwright/template.h"

namespace nestwright {

Operator broadcast_operator();

/// The function in double; the bound is the function's (templates/pointwise/functions.h).
Reference broadcast_reference(const Workload& workload, const HostTensors& inputs);

Template broadcast_gpu_template();

}  // namespace nestwright
