// The inputs on which kernels of an expression text are checked besides random ones in [-1, 1]: whole numbers, and
// numbers of large and small magnitudes (Operator::whole_inputs, Operator::wide_inputs). A matrix product has those of
// matmul.
// Thread rule: pure functions.
#pragma once

#include "templates/framework/template.h"
#include "text/expression.h"

namespace nestwright {

/// Whole numbers of at most 8, within the declared ranges, on which the results are exact in whatever order they are
/// computed. No tensors where there are none, or where nothing is rounded.
HostTensors whole_inputs_of(const text::Expression& expression, const Workload& workload, const Definition& definition);

/// The uniform inputs, those without a declared range times powers of two, with their reference. An index of an input
/// has powers of its own unless elements of several of its values are added up, so that the terms of one sum are alike.
/// Powers are smaller where results would overflow; no tensors where that does not help.
CheckedInputs wide_inputs_of(const text::Expression& expression, const Workload& workload, const Definition& definition,
                             const CheckedInputs& uniform);

}  // namespace nestwright
