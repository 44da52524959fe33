// Carries the value of an expression in double and a bound of its rounding errors through the same expression.
//
//   judge(A[i]*B[i] + C[i]), float32   value: A[i]*B[i] + C[i] in float64
//                                      error: eps |A[i]*B[i]| + eps |A[i]*B[i] + C[i]|
//
// A running error bound, as in Higham's "Accuracy and Stability of Numerical Algorithms", 3.3: each operation adds
// eps |its result|, where eps is that of the type that the expression computes in, to what it makes of the errors of
// its operands. eps is twice the error of one rounding, which covers the second-order terms. A function that is
// monotonic is evaluated at both ends of its operand's interval.
// Thread rule: values and pure functions.
#pragma once

#include <functional>
#include <map>

#include "ir/core/expr.h"

namespace nestwright {

/// An expression in double (conditions and whole numbers keep their type), and how far the original may be off.
struct JudgedExpr {
  ir::Expr value;
  /// Of a number: the largest absolute error, float64. Of a condition: whether it may come out the other way, bool.
  /// Undefined: there is no error.
  ir::Expr error;

  bool is_exact() const { return !error.defined(); }
};

/// Which roundings bounds are made of.
enum class Rounding : std::uint8_t {
  kWritten,         ///< those of the types that the expression computes in
  kWrittenInRange,  ///< the same, and infinite where a value is too large for its type
  kDouble,          ///< those of the double-precision expression itself
};

/// What the leaves of an expression become.
struct JudgedLeaves {
  /// The element of a tensor that is read, given its indices.
  std::function<JudgedExpr(const ir::Buffer&, std::vector<ir::Expr> indices)> element;
  std::map<ir::Var, ir::Expr> variables;  ///< others stay as they are
};

/// float64 for floating-point types, the type itself for others.
ir::Type in_double(ir::Type type);
/// Twice the error of one rounding, relative to the result; 0 for whole numbers and conditions.
double rounding_error(ir::Type type, Rounding rounding);
/// The error of one rounding of numbers so small that the type has fixed precision there; 0 for whole numbers.
double smallest_error(ir::Type type, Rounding rounding);
/// The largest finite value; infinite for float64 and whole numbers.
double largest_value(ir::Type type);
/// The error of a value of absolute value `size`: with kWrittenInRange infinite where the type does not have the value.
ir::Expr error_in_range(const ir::Expr& error, const ir::Expr& size, ir::Type type, Rounding rounding);
/// The sum of two errors, either of which may be undefined.
ir::Expr add_errors(const ir::Expr& a, const ir::Expr& b);

/// `e` is no reduction; those are operations (double_program.h). Throws UsageError for an index that depends on a
/// rounded value, and for an intrinsic that has no error bound (words, bits).
JudgedExpr judge(const ir::Expr& e, const JudgedLeaves& leaves, Rounding rounding);

}  // namespace nestwright
