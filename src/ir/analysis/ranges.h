// What is known of variables at a point of a program: intervals, symbolic bounds and facts about sums.
// Thread rule: a Ranges belongs to one thread.
#pragma once

#include <vector>

#include "ir/analysis/interval.h"
#include "ir/core/linear.h"

namespace nestwright::ir {

/// What is known of the variables in scope. A value; copies are independent.
class Ranges {
 public:
  /// var lies in [lo, hi].
  void bind(const Var& var, Interval interval);
  /// var lies in [min, min + extent - 1], as far as these can be bounded.
  void bind(const Var& var, const Expr& min, const Expr& extent);
  void forget(const Var& var);
  /// What is known; for a variable that was never bound, what its type can hold.
  Interval find(const Var& var) const;
  /// Narrows by a scalar condition that is known to hold (conjunctions and likely() are looked through). What is no
  /// bound of one variable is kept as a fact about the sum, as in io*16 + ii < n.
  void assume(const Expr& condition);
  /// Narrows by a scalar condition that is known not to hold.
  void assume_not(const Expr& condition);

  /// Bounds of a variable that are no constants: a loop's that runs to n, or a let's value. Undefined where there is
  /// none.
  Expr least(const Var& var) const;
  Expr greatest(const Var& var) const;
  /// Sums that are known to be at least 0.
  const std::vector<Linear>& facts() const { return facts_; }

 private:
  struct Known {
    Var var;
    Interval interval;
    Expr least, greatest;
  };
  const Known* search(const Var& var) const;
  void narrow(const Var& var, Interval interval);
  void assume_not_negative(Linear sum);
  void assume_comparison(BinaryOp op, const Expr& a, const Expr& b);

  std::vector<Known> known_;
  std::vector<Linear> facts_;
};

}  // namespace nestwright::ir
