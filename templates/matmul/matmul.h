// The matrix product C = op(A) op(B): its definition, its reference and its templates.
//   A is [M, K], or [K, M] where ta=1;  B is [K, N], or [N, K] where tb=1;  C is [M, N].
// Thread rule: pure functions.
#pragma once

#include "templates/template.h"

namespace nestwright {

Operator matmul_operator();

/// A plain loop over double: the value, and 8 sqrt(K) eps sum|a||b| an element, eps that of the workload's type. Sums
/// are compensated every few terms, so that the reference is far more exact than the bound even for float64.
Reference matmul_reference(const Workload& workload, const HostTensors& inputs);

/// For any sizes, types and x86-64 targets: packing, cache and register tiles, blocked reductions, parallel loops.
Template matmul_cpu_template();

}  // namespace nestwright
