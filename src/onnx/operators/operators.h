// The operators of ONNX that Nestwright has.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "onnx/operators/operator_call.h"

namespace nestwright {

/// An operator in a range of opsets. An attribute that is not in the list means something that the function does not
/// do, unless ONNX says that it may be ignored.
struct OnnxOperator {
  const char* name;
  std::int64_t since, until;  ///< opsets, both included
  std::vector<std::string_view> attributes;
  void (*make)(OperatorCall& call);
};

/// Opsets from which on, and up to which, operators are known.
inline constexpr std::int64_t kOldestOpset = 7, kNewestOpset = 28;

/// nullptr if there is none of ONNX's own operators of that name in that opset.
const OnnxOperator* find_operator(std::string_view name, std::int64_t opset);
/// All of them, each file of operators in turn.
std::span<const OnnxOperator> onnx_operators();

}  // namespace nestwright
