// The expression half of the simplifier: one walk from the leaves up, repeated where a rule requests it. Sums of
// indices are brought to affine normal form (expr_simplifier.cpp); the rules of floor division and modulo are in
// divide.cpp, those of conditions, min and max in logic.cpp. Private to ir/.
// Thread rule: an object belongs to one thread.
#pragma once

#include <utility>
#include <vector>

#include "ir/analysis/bounds.h"

namespace nestwright::ir {

class ExprSimplifier {
 public:
  explicit ExprSimplifier(Ranges ranges) : ranges_(std::move(ranges)) {}

  /// Returns the same handle where nothing can be simplified.
  Expr simplify(const Expr& e);
  /// What is known where the next expression occurs; the walk over statements updates it.
  Ranges& ranges() { return ranges_; }
  /// From now on `var` is replaced by `value`, which is simplified already.
  void replace(const Var& var, Expr value) { replaced_.emplace_back(var, std::move(value)); }
  /// Ends the last replace(): its variable goes out of scope.
  void end_replace() { replaced_.pop_back(); }

 private:
  Expr run(const Expr& e);
  Expr run_under(const Expr& e, const Expr& condition, bool holds);
  Expr run_binary(const Expr& e, const Binary& n);
  Expr run_var(const Expr& e, const VarRef& n);
  Expr run_select(const Expr& e, const Select& n);
  Expr run_call(const Expr& e, const Call& n);
  Expr run_load(const Expr& e, const Load& n);
  Expr run_reduce(const Expr& e, const Reduce& n);

  // Sums of indices.
  Expr run_sum(const Expr& e);
  void collect(Linear& sum, const Expr& e, std::int64_t factor);
  void collect_product(Linear& sum, const Expr& e, const Binary& n, std::int64_t factor);
  void join_quotients(Linear& sum);
  bool join(Linear& sum, const LinearTerm& modulo);

  // Floor division and modulo of indices.
  Expr run_division(const Expr& e, const Binary& n);
  Linear quotient(const Linear& a, std::int64_t divisor);
  Linear remainder(const Linear& a, std::int64_t divisor);
  bool within_divisor(const Linear& a, const Expr& divisor) const;

  // Conditions, min and max.
  Expr run_comparison(BinaryOp op, const Expr& a, const Expr& b);
  Expr run_index_comparison(BinaryOp op, const Expr& a, const Expr& b);
  Expr run_extremum(BinaryOp op, const Expr& a, const Expr& b);
  Expr run_logical(const Expr& e, const Binary& n);
  Expr without_implied(const Expr& a, const Expr& b);
  Expr run_not(const Expr& e, const Not& n);
  Linear reduced_below_zero(Linear sum);

  Expr run_vectors(BinaryOp op, const Expr& a, const Expr& b);

  Ranges ranges_;
  const Ranges* certain_ = nullptr;  // inside of selects, && and ||: what is known outside of all of them
  std::vector<std::pair<Var, Expr>> replaced_;
  bool again_ = false;  // a rule was applied whose result may be simplified further
};

}  // namespace nestwright::ir
