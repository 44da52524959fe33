// The softmax of each row: Y[i, j] = exp(X[i, j] - max X[i, :]) / sum exp(X[i, :] - max X[i, :]).
// Thread rule: pure functions.
#pragma once

#include "nestwright/template.h"

namespace nestwright {

Operator softmax_operator();

/// A plain loop over double. With u one rounding of the type (half of eps), an element's relative error is that of
///  - its power: |x - max| u of the difference, which the exponential turns into a relative error, and 3 u of the
///    exponential itself (1.1 ulp, src/lower/support/vector_math.h);
///  - the total: the mean error of the powers in it, and that of the summation (templates/checking/rounding.h);
///  - the reciprocal and the product: 2 u.
/// They add up to (d + mean of d + 8) u + 8 sqrt(columns) eps, d = |x - max|. What is below the least normal number may
/// be anything up to that.
Reference softmax_reference(const Workload& workload, const HostTensors& inputs);

Template softmax_gpu_template();

}  // namespace nestwright
