// Values of random expressions that are exact whatever the order of evaluation: integers wrap, and what is floating
// point is a whole number whose size is known and kept small by clamping.
// Thread rule: pure functions.
#pragma once

#include "expression/tensor.h"
#include "tests/property/choices.h"

namespace nestwright::property {

struct Value {
  Expr e;
  double bound = 0;  ///< |value| is at most this; of floating-point values only
};

Value literal(int value, Type type);
/// The value as `type`; a bool becomes 0 or 1, a number becomes whether it is positive.
Value converted(const Value& value, Type type);
/// The value, clamped to -limit .. limit where it is floating point and may be larger.
Value limited(Value value, double limit);
/// One or two operands of one type combined. `choices` says how; 0 is the sum.
Value combined(Choices& choices, const Value& a, const Value& b);
/// A bool: one of the six comparisons of two numbers.
Expr compared(Choices& choices, const Value& a, const Value& b);
/// `value` as it may be reduced over `points` by `kind`; and the bound of the result.
Value reducible(ir::ReducerKind kind, const Value& value, double points);
double reduced_bound(ir::ReducerKind kind, const Value& value, double points);

}  // namespace nestwright::property
