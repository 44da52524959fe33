// Joins tensors as Concat does.
// Thread rule: that of the call.
#pragma once

#include <cstddef>
#include <vector>

#include "onnx/operators/operator_call.h"

namespace nestwright {

/// The tensors one after the other along an axis. They have elements, and differ in that extent only; more than 190 are
/// nested too deep for an expression.
ValueId concatenation(OperatorCall& call, const std::vector<ValueId>& parts, std::size_t axis);

}  // namespace nestwright
