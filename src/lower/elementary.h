// The formulas of vector mathematics: functions of float32, scalar or vector, as expressions of +, *, /, fma, select
// and bit patterns. Thread rule: an object belongs to one thread.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "ir/core/expr.h"

namespace nestwright {

class Elementary {
 public:
  /// Values that formulas use more than once, in the order in which they depend on each other.
  using Lets = std::vector<std::pair<ir::Var, ir::Expr>>;

  /// What there is an instruction for. Without fma, a sum of products takes two and is rounded twice.
  struct Machine {
    bool fma = false, scale = false;
  };

  /// Appends to `lets`.
  Elementary(Machine machine, Lets& lets) : machine_(machine), lets_(lets) {}

  /// Requires an intrinsic and a type that is_expanded() names; `x` is of float32.
  ir::Expr apply(ir::Intrinsic intrinsic, const ir::Expr& x);
  /// How a function is expanded.
  struct Formula {
    ir::Intrinsic intrinsic;
    double ulp;  ///< the largest error
    ir::Expr (Elementary::*expand)(const ir::Expr& x);
  };
  /// nullptr where the function is not expanded.
  static const Formula* formula_of(ir::Intrinsic intrinsic);
  /// A variable that holds `value`, or `value` where it is one already.
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

  /// exp(x) = power * 2^quotient.
  struct Reduced {
    ir::Expr power, quotient, shifted;
    ir::Expr n() const;  ///< the quotient as an integer
  };
  Reduced reduce_exp(const ir::Expr& x);
  /// c[0] + c[1]*x + ...
  ir::Expr polynomial(const ir::Expr& x, std::span<const double> c);
  ir::Expr fma(const ir::Expr& a, const ir::Expr& b, const ir::Expr& c) const;

  Machine machine_;
  Lets& lets_;
};

}  // namespace nestwright
