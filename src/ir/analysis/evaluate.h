// Evaluates an expression of a program's symbols with the values of a call: extents, strides, sizes of storage.
// Thread rule: a pure function. It takes some tens of nanoseconds, so every call can afford it.
#pragma once

#include <cstdint>
#include <span>

#include "nestwright/expr_nodes.h"

namespace nestwright::ir {

/// The value of the scalar integer `e`, where symbols[i] has values[i]. Throws UsageError where a value does not fit 64
/// bits or a divisor is 0, InternalError where `e` contains another variable, a load or a floating-point value.
std::int64_t evaluate(const Expr& e, std::span<const Var> symbols, std::span<const std::int64_t> values);

}  // namespace nestwright::ir
