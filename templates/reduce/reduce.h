// Reductions over any set of the dimensions of a tensor: its sum, mean, maximum or minimum.
// Thread rule: pure functions.
#pragma once

#include "templates/framework/template.h"

namespace nestwright {

/// Tensors are compact, so that neighbouring dimensions which are both kept or both reduced are one: the expression has
/// the fewest dimensions that do (shape.h), and the result none where all are reduced.
Operator reduce_operator();

/// A plain loop over double. The maximum and the minimum are exact; a sum of n terms is off by 8 eps sqrt(n sum x^2)
/// (templates/checking/rounding.h), a mean by that over n and by 2 eps times itself: each term is weighted, by a weight
/// that is rounded itself.
Reference reduce_reference(const Workload& workload, const HostTensors& inputs);
/// Of sums.
HostTensors reduce_whole_inputs(const Workload& workload);
/// Of sums and means, what is reduced to one result has one scale.
CheckedInputs reduce_wide_inputs(const Workload& workload, const CheckedInputs& uniform);

Template reduce_gpu_template();

}  // namespace nestwright
