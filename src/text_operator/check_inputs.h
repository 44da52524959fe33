// The inputs on which kernels of an expression text are checked besides random ones in [-1, 1]: integers, and
// numbers of large and small magnitudes (Operator::integer_inputs, Operator::wide_inputs). A matrix product uses those
// of matmul. Thread rule: pure functions.
#pragma once

#include "reference/reference.h"
#include "templates/framework/template/limited_reference.h"
#include "text/expression.h"

namespace nestwright {

/// Integers of at most 8, within the declared ranges, on which the results are exact in whatever order they are
/// computed. No tensors where there are none, or where nothing is rounded.
HostTensors integer_inputs_of(const text::Expression& expression, const Workload& workload,
                              const Definition& definition);

/// The uniform inputs with their reference, which judges `definition`, where inputs without a declared range are
/// multiplied by powers of two. Each dimension of an input has its own powers unless a sum runs along it, so that the
/// terms of one sum have similar magnitudes. Channels of a convolution that Winograd's algorithm computes have powers
/// that cancel in each term. Powers are smaller if results would overflow; no tensors if that does not help.
CheckedInputs wide_inputs_of(const text::Expression& expression, const Workload& workload, const Definition& definition,
                             const CheckedInputs& uniform, const ReferenceLimit& limit);

/// The options with which the definition of a workload is judged.
ReferenceOptions reference_options(const Workload& workload, const ReferenceLimit& limit);

}  // namespace nestwright
