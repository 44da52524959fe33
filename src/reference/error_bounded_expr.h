// Converts an expression to double precision, together with an expression for a bound of its rounding errors.
//
//   with_error_bound(A[i]*B[i] + C[i]), float32   value: A[i]*B[i] + C[i] in float64
//                                                 error: eps |A[i]*B[i]| + eps |A[i]*B[i] + C[i]|
//
// It is a running error bound, as in Higham's "Accuracy and Stability of Numerical Algorithms", 3.3: each operation
// propagates the errors of its operands and adds eps |its result|, where eps is that of the type in which it computes.
// eps is twice the error of one rounding, which covers the second-order terms. A monotonic function is evaluated at
// both ends of its operand's interval.
// Size: an operation repeats its operand's value once, and the bound of a chain of n operations has O(n^2) nodes. A
// function or a conversion to an integer repeats the operand's bound, and k nested ones cost a factor of 2^k.
// An index that is computed from indices and literals alone is exact although it is rounded: it is evaluated in its own
// types, operation by operation. Only a product that is added has an error, because it may be contracted into an fma.
//   X[int64(floor(float32(i)*0.3))]   the product is rounded to float32, without an error
//   X[int64(floor(G[i]*7.5))]         exact where the product plus and minus its error has the same floor, else
//   infinite
// Thread rule: values and pure functions.
#pragma once

#include <functional>
#include <map>

#include "nestwright/expr_nodes.h"

namespace nestwright {

/// An expression in double (conditions and integers keep their type), and a bound of the original's error.
struct ErrorBoundedExpr {
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

/// What is computed of a tensor.
enum class Parts : std::uint8_t {
  kValuesAndBounds,
  kValues,  ///< for inputs on which nothing is rounded
};

/// The replacements of an expression's leaves.
struct ErrorBoundedLeaves {
  /// Returns the replacement of a tensor's element.
  std::function<ErrorBoundedExpr(const ir::Buffer&, std::vector<ir::Expr> indices)> element;
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

/// The operations of an expression whose results are rounded as its types say, so that all kernels have the same.
enum class OneValue : std::uint8_t {
  kIndices,  ///< those on loop variables and literals alone, in the indices of reads
  kAll,      ///< all, as no operand depends on data
};

/// Requires an expression without reductions (double_program.h). A read whose indices may be others, by their errors,
/// has an infinite error. Throws UsageError for a call that has no error bound: extern functions, packed words,
/// reinterpreted bits.
ErrorBoundedExpr with_error_bound(const ir::Expr& e, const ErrorBoundedLeaves& leaves, Rounding rounding,
                                  OneValue one_value = OneValue::kIndices);

}  // namespace nestwright
