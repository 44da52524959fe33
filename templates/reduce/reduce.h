// Reductions over any set of the dimensions of a tensor: its sum, mean, maximum or minimum.
// Thread rule: pure functions.
#pragma once

#include "nestwright/template.h"

namespace nestwright {

/// Tensors are compact, so that adjacent dimensions that are both kept or both reduced are merged (shape.h). The result
/// has no dimension if all are reduced.
Operator reduce_operator();

/// A plain loop over double. The maximum and the minimum are exact; a sum of n terms is off by 8 eps sqrt(n sum x^2)
/// (templates/checking/rounding.h), a mean by that over n and by 2 eps times itself: each term is weighted, by a weight
/// that is rounded itself.
Reference reduce_reference(const Workload& workload, const HostTensors& inputs);
/// The same for the results at these places.
ElementReference reduce_reference_at(const Workload& workload, const InputValues& inputs,
                                     std::span<const std::int64_t> places);
/// Integer inputs for sums only; inputs of large and small magnitudes: for sums and means, all elements of one
/// result have one scale.
LargeChecks reduce_checks();

Template reduce_gpu_template();

}  // namespace nestwright
