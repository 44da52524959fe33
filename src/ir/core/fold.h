// Constant folding, exactly as the IR defines arithmetic: integers wrap around in their type, floats round to theirs.
// The operators and the simplifier share it.
// Thread rule: pure functions.
#pragma once

#include <cstdint>

#include "nestwright/expr_nodes.h"

namespace nestwright::ir {

/// `value` as `type` holds it: an integer modulo 2^bits, sign extended where signed; a bool 1 where it is not 0.
std::int64_t wrap_int(std::int64_t value, Type type);
/// `value` rounded (to nearest, ties to even) to what a float of `type` holds.
double round_float(double value, Type type);

/// The constant `a op b` of two scalar literals of one type. Undefined where an operand is not a literal, or for an
/// integer division by 0.
Expr fold_binary(BinaryOp op, const Expr& a, const Expr& b);
/// The constant cast of a scalar literal; undefined for any other expression.
Expr fold_cast(Type type, const Expr& value);

}  // namespace nestwright::ir
