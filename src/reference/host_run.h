// Runs a program without a schedule on tensors of doubles: compiled for the host, or in the interpreter.
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "expression/tensor.h"

namespace nestwright {

enum class RunBy { kCompiler, kInterpreter };

/// Returns the values of `outputs`, one list per output. `inputs` are placeholders, with one list in `values` each.
/// Requires compact tensors of constant shapes. The compiler gets reductions in vectors and in tiles that suit caches,
/// in which the terms of each element keep their order; the interpreter gets the loops as they are, with the indices of
/// samples hoisted (hoist_indices.h).
std::vector<std::vector<double>> run_unscheduled(const std::vector<Tensor>& inputs,
                                                 const std::vector<const std::vector<double>*>& values,
                                                 const std::vector<Tensor>& outputs, RunBy by);

}  // namespace nestwright
