// Records what is known about the variables in scope: intervals, symbolic bounds and facts about sums.
// This is the only store of such knowledge; the proofs that draw on it are in ir/analysis/bounds.h.
// Thread rule: a Ranges belongs to one thread. Units: none, all values are those of the variables.
#pragma once

#include <utility>
#include <vector>

#include "ir/analysis/interval.h"
#include "ir/traversal/linear.h"

namespace nestwright::ir {

/// A value; copies are independent.
class Ranges {
 public:
  /// Introduces `var`, which lies in `interval`. Drops everything that was known about it.
  void bind(const Var& var, Interval interval);
  /// Introduces `var`, which lies in [min, min + extent - 1]; symbolic ends are kept as least() and greatest().
  void bind(const Var& var, const Expr& min, const Expr& extent);
  /// Drops everything that is known about `var`.
  void forget(const Var& var);
  /// The interval of `var`; for a variable that was never bound, what its type can hold.
  Interval find(const Var& var) const;
  /// Narrows the intervals by a scalar condition that holds. Conjunctions are taken apart, likely() is ignored. A
  /// condition on several variables, such as io*16 + ii < n, is also kept as a fact about their sum.
  void assume(const Expr& condition);
  /// Narrows the intervals by a scalar condition that does not hold.
  void assume_not(const Expr& condition);

  /// The symbolic bounds of a variable, inclusive: n - 1 is the greatest value of a loop over 0..n. Undefined where the
  /// end is a constant, which find() gives, or unknown.
  Expr least(const Var& var) const;
  Expr greatest(const Var& var) const;
  /// Sums that are known to be at least 0.
  const std::vector<Linear>& facts() const { return facts_; }

  // Scopes, for a caller that walks depth first and would copy a Ranges at every step: mark(), set_interval() and
  // add_fact() as the walk descends, reset() as it returns. Between the two nothing else may change this object.

  /// `var`, known or not, lies in `interval`, which replaces the interval known so far until the scope is reset.
  void set_interval(const Var& var, Interval interval) { known_.push_back({var, interval, {}, {}}); }
  /// `sum` is at least 0. Unlike assume(), this narrows no interval.
  void add_fact(Linear sum) { facts_.push_back(std::move(sum)); }

  struct Mark {
    std::size_t variables, facts;
  };
  Mark mark() const { return {known_.size(), facts_.size()}; }
  /// Returns to what was known at `mark`.
  void reset(Mark mark);

 private:
  struct Known {
    Var var;
    Interval interval;
    Expr least, greatest;
  };
  const Known* search(const Var& var) const;  ///< the newest entry of `var`
  void narrow(const Var& var, Interval interval);
  void assume_not_negative(Linear sum);
  void assume_comparison(BinaryOp op, const Expr& a, const Expr& b);

  std::vector<Known> known_;
  std::vector<Linear> facts_;
};

}  // namespace nestwright::ir
