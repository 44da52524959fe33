// Runs a program on arrays, or on lists of doubles: without a schedule, compiled for the host or in the interpreter, or
// with a plain schedule on all cores.
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "nestwright/array.h"
#include "nestwright/tensor.h"

namespace nestwright {

enum class RunBy {
  kCompiler,     ///< on one core
  kInterpreter,  ///< on one core; the indices of samples are hoisted (hoist_indices.h)
  kAllCores,     ///< compiled, with the loops of plain_schedule.h
};

/// Returns `outputs`, which are computed from `inputs`: placeholders, with their values at the same places of `values`.
/// Requires compact tensors of constant shapes.
std::vector<Array> run_on_arrays(const std::vector<Tensor>& inputs, const std::vector<const Array*>& values,
                                 const std::vector<Tensor>& outputs, RunBy by);

/// The same for lists of doubles, which are rounded to the types of the inputs.
std::vector<std::vector<double>> run_unscheduled(const std::vector<Tensor>& inputs,
                                                 const std::vector<const std::vector<double>*>& values,
                                                 const std::vector<Tensor>& outputs, RunBy by);

/// The elements as doubles.
std::vector<double> doubles_of(const Array& array);

}  // namespace nestwright
