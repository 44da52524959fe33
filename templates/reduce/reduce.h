// Reductions over any set of the dimensions of a tensor: its sum, mean, maximum or minimum.
// Thread rule: pure functions.
#pragma once

#include "templates/framework/template.h"

namespace nestwright {

/// Tensors are compact, so that adjacent dimensions that are both kept or both reduced are merged (shape.h). The result
/// has no dimension if all are reduced.
Operator reduce_operator();

/// A plain loop over double. The maximum and the minimum are exact; a sum of n terms is off by 8 eps sqrt(n sum x^2)
/// (templates/checking/rounding.h), a mean by that over n and by 2 eps times itself: each term is weighted, by a weight
/// that is rounded itself.
Reference reduce_reference(const Workload& workload, const HostTensors& inputs);
/// Whole-number inputs, for sums only.
HostTensors reduce_whole_inputs(const Workload& workload);
/// Inputs of large and small magnitudes; for sums and means, all elements of one result have one scale.
CheckedInputs reduce_wide_inputs(const Workload& workload, const CheckedInputs& uniform);

Template reduce_gpu_template();

}  // namespace nestwright
