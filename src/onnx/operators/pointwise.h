// Operators that compute each element of their result from the elements of their operands at the same indices.
// Thread rule: one thread at a time.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onnx/operators/operator_call.h"

namespace nestwright {

/// Adds a node that computes `formula` for each element. In it, {0} is the element of operands[0], broadcast as numpy
/// does, and so on: "max({0}, 0)". `empty_type` is the type of the result where that has no elements, by default that
/// of the last operand.
ValueId apply_pointwise(OperatorCall& call, std::string_view formula, const std::vector<ValueId>& operands,
                        std::optional<ir::Type> empty_type = std::nullopt);

/// Sets the first result to `formula` of the first `count` inputs.
void set_pointwise(OperatorCall& call, std::string_view formula, std::size_t count = 1,
                   std::optional<ir::Type> empty_type = std::nullopt);

/// The same for one input, but float16 and bfloat16 are computed in float32 and rounded once.
void set_pointwise_in_float32(OperatorCall& call, const std::string& formula);

/// A number as expressions write it: "6", "0.1", "(-1.5)". Throws UnsupportedNode for NaN.
std::string literal_of(double number);

}  // namespace nestwright
