// Runs a program without a schedule on tensors of doubles: compiled for the host, or in the interpreter.
// Thread rule: pure functions, which use one core.
#pragma once

#include <vector>

#include "nestwright/array.h"
#include "nestwright/tensor.h"

namespace nestwright {

enum class RunBy { kCompiler, kInterpreter };

/// Returns `outputs`, which are computed from `inputs`: placeholders, with their values at the same places of `values`.
/// Requires compact tensors of constant shapes. The interpreter gets the loops with the indices of samples hoisted
/// (hoist_indices.h).
std::vector<Array> run_on_arrays(const std::vector<Tensor>& inputs, const std::vector<const Array*>& values,
                                 const std::vector<Tensor>& outputs, RunBy by);

/// The same for lists of doubles, which are rounded to the types of the inputs.
std::vector<std::vector<double>> run_unscheduled(const std::vector<Tensor>& inputs,
                                                 const std::vector<const std::vector<double>*>& values,
                                                 const std::vector<Tensor>& outputs, RunBy by);

/// The elements as doubles.
std::vector<double> doubles_of(const Array& array);

}  // namespace nestwright
