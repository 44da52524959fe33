// Numbers and conversions in the expressions that operators are made of.
// Thread rule: pure functions.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "onnx/operators/operator_call.h"

namespace nestwright {

/// The type in which sums over elements of `type` are computed: float32 for narrower ones.
inline ir::Type wide_type(ir::Type type) { return type.is_narrow_float() ? kFloat32 : type; }

/// A term of type `from` as one of type `to`: "float32(X[i])".
inline std::string conversion(std::string term, ir::Type from, ir::Type to) {
  return from == to ? std::move(term) : fmt::format("{}({})", to.str(), term);
}

/// A read of an operand, converted to `to`.
inline std::string converted_read(const OperatorCall& call, std::size_t input, std::string read, ir::Type to) {
  return conversion(std::move(read), call.type(input).type, to);
}

/// An attribute, which ONNX stores as a float32, with as few digits as tell it from others: "1e-05".
inline std::string number_text(double attribute) { return fmt::format("{}", static_cast<float>(attribute)); }

inline bool is_whole(double value) { return value == std::floor(value); }

/// Throws UnsupportedNode if the operand has no elements. Products of its extents do not overflow.
inline void require_elements(const OperatorCall& call, std::size_t input) {
  const std::vector<std::int64_t>& shape = call.shape(input);
  const bool has_elements = std::find(shape.begin(), shape.end(), 0) == shape.end();
  call.require(has_elements, fmt::format("input {} has no elements", input));
}

/// Throws UnsupportedNode unless the operand has elements, which are floating-point numbers.
inline void require_floats(const OperatorCall& call, std::size_t input) {
  require_elements(call, input);
  call.require(call.type(input).type.is_float(),
               fmt::format("input {} is of the type {}", input, call.type(input).type.str()));
}

}  // namespace nestwright
