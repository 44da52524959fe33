// Converts an expression to double precision, together with an expression for a bound of its rounding errors.
//
//   judge(A[i]*B[i] + C[i]), float32   value: A[i]*B[i] + C[i] in float64
//                                      error: eps |A[i]*B[i]| + eps |A[i]*B[i] + C[i]|
//
// It is a running error bound, as in Higham's "Accuracy and Stability of Numerical Algorithms", 3.3: each operation
// propagates the errors of its operands and adds eps |its result|, where eps is that of the type in which it computes.
// eps is twice the error of one rounding, which covers the second-order terms. A monotonic function is evaluated at
// both ends of its operand's interval.
// The error of the longest operand of an operation stands once in the text of the bound, which so grows with the square
// of the length of a chain. In functions and in conversions to whole numbers it stands twice: each of those that lie
// inside each other doubles the text.
// Thread rule: values and pure functions.
#pragma once

#include <functional>
#include <map>

#include "ir/core/expr.h"

namespace nestwright {

/// An expression in double (conditions and integers keep their type), and a bound of the original's error.
struct JudgedExpr {
  ir::Expr value;
  /// For a number, the largest absolute error, a float64; for a condition, whether rounding may invert it, a bool.
  /// Undefined if the value is exact.
  ir::Expr error;

  bool is_exact() const { return !error.defined(); }
};

/// The roundings that bounds count.
enum class Rounding : std::uint8_t {
  kWritten,         ///< those of the types that the expression computes in
  kWrittenInRange,  ///< the same, and infinite where a value is too large for its type
  kDouble,          ///< those of the double-precision expression itself
};

/// The replacements of an expression's leaves.
struct JudgedLeaves {
  /// Returns the replacement of a tensor's element.
  std::function<JudgedExpr(const ir::Buffer&, std::vector<ir::Expr> indices)> element;
  std::map<ir::Var, ir::Expr> variables;  ///< others stay as they are
};

/// float64 for floating-point types, the type itself for others.
ir::Type in_double(ir::Type type);
/// Twice the largest relative error of one rounding; 0 for integers and conditions.
double rounding_error(ir::Type type, Rounding rounding);
/// The absolute error of one rounding of subnormal numbers, in float32 of a flush to zero; 0 for integers.
double smallest_error(ir::Type type, Rounding rounding);
/// The largest finite value of the type; infinite for float64 and integers.
double largest_value(ir::Type type);
/// `error`, or with kWrittenInRange infinity for values whose absolute value, `size`, is too large for the type.
ir::Expr error_in_range(const ir::Expr& error, const ir::Expr& size, ir::Type type, Rounding rounding);
/// The sum of two errors, either of which may be undefined.
ir::Expr add_errors(const ir::Expr& a, const ir::Expr& b);

/// Requires an expression without reductions (double_program.h). Throws UsageError for an index that depends on a
/// rounded value, and for a call that has no error bound: extern functions, packed words, reinterpreted bits.
JudgedExpr judge(const ir::Expr& e, const JudgedLeaves& leaves, Rounding rounding);

}  // namespace nestwright
