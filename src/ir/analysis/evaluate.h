// The value of an expression of a program's symbols, once a call gives them: extents, strides, sizes of storage.
// Thread rule: a pure function. Takes some tens of nanoseconds, so that a call may afford it.
#pragma once

#include <cstdint>
#include <span>

#include "ir/core/expr.h"

namespace nestwright::ir {

/// The scalar integer `e` where `symbols` have `values`, one each. Throws UsageError where the value does not fit 64
/// bits or something is divided by 0, InternalError for another variable or a kind of expression that sizes are not
/// made of (a load, a floating-point value).
std::int64_t evaluate(const Expr& e, std::span<const Var> symbols, std::span<const std::int64_t> values);

}  // namespace nestwright::ir
