// Simplification with interval and divisibility analysis. Idempotent; unchanged input is the same handle.
#pragma once

#include <limits>
#include <map>
#include <optional>

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
  Interval find(const Var& var) const;

 private:
  std::map<Var, Interval> known_;
};

/// Bounds of a scalar integer expression.
Interval bounds(const Expr& e, const Ranges& ranges);
/// True only where the scalar bool `condition` holds for every value in `ranges`.
bool prove(const Expr& condition, const Ranges& ranges);
/// True only where it holds for none.
bool disprove(const Expr& condition, const Ranges& ranges);

Expr simplify(const Expr& e, const Ranges& ranges = {});
/// Also drops loops without iterations, branches never taken, unused lets; substitutes lets of constants and variables;
/// removes single-iteration loops of every kind but the bound ones.
Stmt simplify(const Stmt& s, const Ranges& ranges = {});

}  // namespace nestwright::ir
