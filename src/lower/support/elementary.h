// Expands mathematical functions of float32, scalar or vector, into expressions of +, *, /, fma, select and operations
// on bit patterns; lower/support/vector_math.h states their errors. Internal to lower/.
// Thread rule: an object belongs to one thread. Units: errors are in units in the last place (ulp).
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "nestwright/expr_nodes.h"

namespace nestwright {

/// How a polynomial is evaluated. Estrin's form has a shorter chain of dependent operations, its logarithm in length,
/// and one more multiplication each time that the power doubles (G. Estrin, "Organization of computer systems: the
/// fixed plus variable structure computer", 1960).
enum class PolynomialForm { kHorner, kEstrin };

class Elementary {
 public:
  /// Values that formulas use more than once, each after those that it depends on.
  using Lets = std::vector<std::pair<ir::Var, ir::Expr>>;

  /// Which instructions the target has. Without fma, a*b + c takes two and is rounded twice.
  struct Machine {
    bool fma = false, scale = false;
  };

  /// Formulas append to `lets`, which must outlive the object.
  Elementary(Machine machine, PolynomialForm form, Lets& lets) : machine_(machine), form_(form), lets_(lets) {}

  /// The value of the function at `x`, a float32. Requires a function that has a formula.
  ir::Expr apply(ir::Intrinsic intrinsic, const ir::Expr& x);
  /// The expansion of one function.
  struct Formula {
    ir::Intrinsic intrinsic;
    double ulp;  ///< its largest error
    ir::Expr (Elementary::*expand)(const ir::Expr& x);
  };
  /// The formula of a function; nullptr if it is not expanded.
  static const Formula* formula_of(ir::Intrinsic intrinsic);
  /// A variable bound to `value`; `value` itself if it is a variable already.
  ir::Expr hold(const char* name, const ir::Expr& value);

 private:
  ir::Expr exp(const ir::Expr& x);
  ir::Expr exp_between(const ir::Expr& x);
  ir::Expr log(const ir::Expr& x);
  ir::Expr log2(const ir::Expr& x);
  ir::Expr logarithm(const ir::Expr& x, bool to_base_2);
  ir::Expr tanh(const ir::Expr& x);
  ir::Expr sigmoid(const ir::Expr& x);
  ir::Expr erf(const ir::Expr& x);

  /// The range reduction exp(x) = power * 2^quotient.
  struct Reduced {
    ir::Expr power, quotient, shifted;
    ir::Expr n() const;  ///< the quotient as an integer
  };
  Reduced reduce_exp(const ir::Expr& x);
  /// c[0] + c[1]*x + ...
  ir::Expr polynomial(const ir::Expr& x, std::span<const double> c);
  ir::Expr in_estrin_form(const ir::Expr& x, std::span<const double> c);
  ir::Expr fma(const ir::Expr& a, const ir::Expr& b, const ir::Expr& c) const;

  Machine machine_;
  PolynomialForm form_;
  Lets& lets_;
};

}  // namespace nestwright
