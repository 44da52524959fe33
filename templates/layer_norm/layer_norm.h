// Layer normalisation of each row: Y = (X - mean) / sqrt(variance + epsilon) * scale + shift, where mean and variance
// are those of the row, and scale and shift are rows of their own.
// Thread rule: pure functions.
#pragma once

#include "nestwright/template.h"

namespace nestwright {

Operator layer_norm_operator();

/// A plain loop over double. The errors of the steps, n the number of columns, S(n) the error of a sum of n terms
/// (templates/checking/rounding.h), absolute ones unless said otherwise:
///  - the mean:               m = S(n) mean|x| + eps |mean|
///  - a centred element c:    c' = m + eps |c|
///  - the variance v:         v' = mean(2 |c| c' + c'^2) + (S(n) + 2 eps) v
///  - its reciprocal root r:  r' = r(v - v') - r, and 3 eps of r
///  - the result:             |scale| (c' (r + r') + |c| r') + 3 eps |c r scale| + eps |shift| + eps |result|
/// The variance is computed from centred elements: the mean of the squares less the square of the mean would cancel for
/// a row far from 0.
Reference layer_norm_reference(const Workload& workload, const HostTensors& inputs);

Template layer_norm_gpu_template();

}  // namespace nestwright
