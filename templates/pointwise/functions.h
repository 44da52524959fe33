// Functions of one or two numbers, element by element: what the operators elementwise and broadcast apply.
// Thread rule: pure functions over an immutable list.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nestwright/expr_nodes.h"
#include "nestwright/target.h"
#include "nestwright/template.h"

namespace nestwright {

/// A value in double and how far the computed one may be off.
struct BoundedValue {
  double value, bound;
};

struct PointwiseFunction {
  std::string name;
  int operands;
  double flops;  ///< as libraries count them: a transcendental function is one
  bool expands;  ///< to tens of operations and constants, which take registers
  ir::Expr (*apply)(std::span<const ir::Expr> operands);
  /// Returns value and bound, where `eps` is that of the type. The bounds, for a result y and, in compound functions,
  /// for s = a + b, whose error is eps |s| / 2:
  ///  - one operation eps |y|; the largest and the least of two numbers, and relu, 0
  ///  - exp 2, tanh and sigmoid 3 eps |y|: src/lower/support/vector_math.h in ulp, and the rounding
  ///  - gelu x/2 (1 + erf(x/sqrt(2))): computed so, the sum in brackets is off by 3 eps (2 of erf and its argument, 1
  ///    of the addition), so that it is 2 eps |x| + 2 eps |y|; with tanh for erf 3 eps |x| + 2 eps |y|
  ///  - of s: the slope of none is above 1.2, so that it is the same and 2 eps |s|
  BoundedValue (*evaluate)(std::span<const double> operands, double eps);
  /// Results are finite for operands below 2^largest_exponent in absolute value.
  int largest_exponent = 30;
};

const std::vector<PointwiseFunction>& pointwise_functions();
/// Names of those of so many operands; 0: of all.
std::vector<std::string> pointwise_names(int operands);
/// Throws InternalError where there is none of that name.
const PointwiseFunction& find_pointwise(std::string_view name);

/// LargeChecks::wide_inputs of the workload's parameter "function".
InputSources pointwise_wide_inputs(const Workload& workload, const InputSources& uniform);

/// The most vectors that a loop over the function may have in flight, so that temporaries and constants stay in
/// registers.
std::int64_t max_vectors(const PointwiseFunction& function, const Target& target);

}  // namespace nestwright
