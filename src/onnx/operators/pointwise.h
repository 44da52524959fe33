// Operators that compute each element of their result from the elements of their operands at the same indices.
// Thread rule: one thread at a time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "onnx/operators/operator_call.h"

namespace nestwright {

/// Adds a node that computes `formula` for each element. In it, {0} is the element of operands[0], broadcast as numpy
/// does, and so on: "max({0}, 0)".
ValueId apply_pointwise(OperatorCall& call, std::string_view formula, const std::vector<ValueId>& operands);

}  // namespace nestwright
