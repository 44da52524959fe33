// Simplification with interval and divisibility analysis. Idempotent; unchanged input is the same handle.
// Thread rule: pure functions; a Ranges belongs to one thread.
#pragma once

#include <limits>
#include <vector>

#include "ir/linear.h"
#include "ir/stmt.h"

namespace nestwright::ir {

/// Inclusive; the extreme values stand for "unbounded".
struct Interval {
  static constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  std::int64_t lo = kMin, hi = kMax;
  bool is_point() const { return lo == hi; }
  bool bounded() const { return lo != kMin && hi != kMax; }
};

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

/// Bounds of an integer or bool expression; of a vector, around all its lanes.
Interval bounds(const Expr& e, const Ranges& ranges);
/// True only where the scalar bool `condition` holds for every value in `ranges`.
bool prove(const Expr& condition, const Ranges& ranges);
/// True only where it holds for none.
bool disprove(const Expr& condition, const Ranges& ranges);

Expr simplify(const Expr& e, const Ranges& ranges = {});
/// Also drops loops without iterations, branches never taken, unused lets; substitutes lets of constants and variables;
/// removes single-iteration loops of every kind but the bound ones. Guards refine what is known in their branches; one
/// that is the whole body of a loop (not a bound one) leaves it where it does not depend on it, and shortens a serial,
/// parallel or unrolled loop where it limits its variable; nested guards become one conjunction.
Stmt simplify(const Stmt& s, const Ranges& ranges = {});

}  // namespace nestwright::ir
