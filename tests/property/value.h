// Values in random expressions that are exact in any order of evaluation: integers wrap; floating-point values are
// integers with a known bound, kept small by clamping.
// Thread rule: pure functions.
#pragma once

#include "nestwright/tensor.h"
#include "tests/property/choices.h"

namespace nestwright::property {

struct Value {
  Expr e;
  double bound = 0;  ///< |value| is at most this; for floating-point values only
};

Value literal(int value, Type type);
/// The value as `type`: a bool becomes 0 or 1, a number converted to bool whether it is positive.
Value converted(const Value& value, Type type);
/// The value, clamped to -limit .. limit where it is floating point and may be larger.
Value limited(Value value, double limit);
/// A combination of operands of one type. `choices` chooses it; 0 is the sum.
Value combined(Choices& choices, const Value& a, const Value& b);
/// A bool: one of the six comparisons of two numbers.
Expr compared(Choices& choices, const Value& a, const Value& b);
/// `value`, limited so that `kind` can reduce it over `points`; reduced_bound is the bound of the result.
Value reducible(ir::ReducerKind kind, const Value& value, double points);
double reduced_bound(ir::ReducerKind kind, const Value& value, double points);

}  // namespace nestwright::property
