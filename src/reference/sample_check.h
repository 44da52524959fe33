// Compares a computation in double precision with the interpreter of the IR, on samples.
// Thread rule: pure functions, which use all cores.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nestwright/array.h"
#include "nestwright/tensor.h"

namespace nestwright {

/// A tensor of a definition and its values, of which those that samples read must be known.
struct KnownTensor {
  Tensor tensor;
  const Array* values = nullptr;           ///< floating-point numbers in float64
  std::vector<std::int64_t> samples = {};  ///< the elements to compare; none of an input
};

/// Compares the samples with the interpreter, which computes them from the values of the tensors that they read.
/// `tensors` must contain those, too; of an operation with several results, the samples of the first count for all.
/// Throws InternalError, which names the tensor and the element, if one differs by more than rounding in double
/// precision explains.
void check_with_interpreter(std::span<const KnownTensor> tensors);

}  // namespace nestwright
