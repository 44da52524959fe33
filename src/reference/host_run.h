// Runs a program without a schedule on tensors of doubles: compiled for this machine, or in the interpreter.
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "expression/tensor.h"

namespace nestwright {

enum class RunBy { kCompiler, kInterpreter };

/// The values of `outputs`, computed from `inputs`, placeholders with one list of values each. All tensors are compact
/// and have constant shapes.
std::vector<std::vector<double>> run_unscheduled(const std::vector<Tensor>& inputs,
                                                 const std::vector<const std::vector<double>*>& values,
                                                 const std::vector<Tensor>& outputs, RunBy by);

/// The extents of a tensor of constant shape.
std::vector<std::int64_t> constant_shape(const Tensor& tensor);

}  // namespace nestwright
