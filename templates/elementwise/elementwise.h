// A function of one or two tensors, element by element: Y = f(X), Y = f(A, B).
// Thread rule: pure functions.
#pragma once

#include "nestwright/template.h"

namespace nestwright {

/// The tensors are compact, so that the expression is flattened to one dimension, whatever the shape.
Operator elementwise_operator();

/// The function in double; the bound is the function's (templates/pointwise/functions.h).
Reference elementwise_reference(const Workload& workload, const HostTensors& inputs);

Template elementwise_gpu_template();

}  // namespace nestwright
