// Comparisons, min and max, the logical operators, and arithmetic on vectors that are ramps or broadcasts.
#include <numeric>
#include <optional>

#include "ir/construction/conjunction.h"
#include "ir/core/fold.h"
#include "ir/simplify/expr_simplifier.h"
#include "ir/traversal/equal.h"

namespace nestwright::ir {
namespace {

std::optional<bool> decided(const Expr& condition, const Ranges& ranges) {
  if (is_always_true(condition, ranges)) return true;
  if (is_always_false(condition, ranges)) return false;
  return std::nullopt;
}

// The terms of one sign, negated where they are negative.
Linear side(const Linear& sum, bool positive) {
  Linear result;
  for (const LinearTerm& term : sum.terms) {
    if ((term.coefficient > 0) != positive) continue;
    result.terms.push_back({term.atom, positive ? term.coefficient : -term.coefficient});
  }
  return result;
}

// sum < 0 with positive terms on both sides and the constant at the right: i*16 + j < n, i < 5, i >= 3.
Expr below_zero(const Linear& sum) {
  Linear left = side(sum, true), right = side(sum, false);
  if (left.is_constant()) return make_binary(BinaryOp::kGe, right.expr(), Expr(sum.constant + 1));
  right.constant = -sum.constant;
  return make_binary(BinaryOp::kLt, left.expr(), right.expr());
}

Expr equal_zero(BinaryOp op, const Linear& sum) {
  Linear left = side(sum, true), right = side(sum, false);
  if (left.is_constant()) {
    right.constant = 0;
    return make_binary(op, right.expr(), Expr(sum.constant));
  }
  right.constant = -sum.constant;
  return make_binary(op, left.expr(), right.expr());
}

Expr junction(const Expr& e, const Binary& n, Expr a, Expr b) {
  return a.same_as(n.a) && b.same_as(n.b) ? e : make_binary(n.op, std::move(a), std::move(b));
}

}  // namespace

Expr ExprSimplifier::run_comparison(BinaryOp op, const Expr& a, const Expr& b) {
  if (Expr folded = fold_binary(op, a, b); folded.defined()) return folded;
  if (a.type() == kIndex) return run_index_comparison(op, a, b);
  Expr condition = make_binary(op, a, b);
  const auto truth = decided(condition, ranges_);
  return truth ? make_bool(*truth) : condition;
}

Expr ExprSimplifier::run_index_comparison(BinaryOp op, const Expr& a, const Expr& b) {
  if (const auto truth = decided(make_binary(op, a, b), ranges_)) return make_bool(*truth);
  Linear sum = to_linear(a);
  const Linear subtracted = to_linear(b);
  if (has_data(sum) || has_data(subtracted) || may_wrap(sum) || may_wrap(subtracted)) return make_binary(op, a, b);
  sum.add(subtracted, -1);
  if (op == BinaryOp::kEq || op == BinaryOp::kNe) {
    std::int64_t factor = 0;
    for (const LinearTerm& term : sum.terms) factor = std::gcd(factor, term.coefficient);
    if (factor > 1) {
      if (sum.constant % factor != 0) return make_bool(op == BinaryOp::kNe);
      for (LinearTerm& term : sum.terms) term.coefficient /= factor;
      sum.constant /= factor;
      again_ = true;
    }
    return equal_zero(op, sum);
  }
  if (op == BinaryOp::kGt || op == BinaryOp::kGe) {
    Linear mirrored;
    sum = mirrored.add(sum, -1);
  }
  if (op == BinaryOp::kLe || op == BinaryOp::kGe) sum.constant -= 1;
  return below_zero(reduced_below_zero(std::move(sum)));
}

// g*d + r < 0 -> d < 0 where 0 <= r < g: io*16 + ii < 128 is io < 8 for ii in [0, 16).
Linear ExprSimplifier::reduced_below_zero(Linear sum) {
  for (std::size_t i = 0; i < sum.terms.size(); ++i) {
    const std::int64_t factor = std::abs(sum.terms[i].coefficient);
    if (factor == 1) continue;
    Linear multiple, small;
    split_multiples(sum, Linear{factor, {}}, multiple, small);
    if (multiple.is_constant() || !within(interval_bounds(small, ranges_), {0, factor - 1})) continue;
    again_ = true;
    sum = std::move(multiple);
    i = static_cast<std::size_t>(-1);  // restart: the terms have changed
  }
  return sum;
}

Expr ExprSimplifier::run_extremum(BinaryOp op, const Expr& a, const Expr& b) {
  if (Expr folded = fold_binary(op, a, b); folded.defined()) return folded;
  if (a.type().is_float()) return make_binary(op, a, b);
  if (equal(a, b)) return a;
  const bool smaller = op == BinaryOp::kMin;
  if (a.type() != kUInt64) {
    if (is_always_true(make_binary(BinaryOp::kLe, a, b), ranges_)) return smaller ? a : b;
    if (is_always_true(make_binary(BinaryOp::kGe, a, b), ranges_)) return smaller ? b : a;
  }
  if (as_const_int(a)) {
    again_ = true;
    return make_binary(op, b, a);
  }
  const auto* inner = a.as<Binary>();
  if (inner && inner->op == op && as_const_int(b) && as_const_int(inner->b)) {
    again_ = true;
    return make_binary(op, inner->a, fold_binary(op, inner->b, b));
  }
  return make_binary(op, a, b);
}

Expr ExprSimplifier::run_logical(const Expr& e, const Binary& n) {
  const bool is_and = n.op == BinaryOp::kAnd;
  Expr a = run(n.a);
  if (is_and ? is_false(a) : is_true(a)) return a;
  if (is_and ? is_true(a) : is_false(a)) return run(n.b);
  if (!e.type().is_scalar()) {
    Expr b = run(n.b);
    if (is_and ? is_false(b) : is_true(b)) return b;
    if (is_and ? is_true(b) : is_false(b)) return a;
    return equal(a, b) ? a : junction(e, n, a, b);
  }
  // The second operand only matters where the first does not decide, and vice versa.
  Expr b = run_under(n.b, a, is_and);
  if (is_and ? is_false(b) : is_true(b)) return b;
  if (is_and ? is_true(b) : is_false(b)) return a;
  Ranges outside = ranges_;
  is_and ? ranges_.assume(b) : ranges_.assume_not(b);
  const auto truth = decided(a, ranges_);
  ranges_ = std::move(outside);
  if (truth) return *truth == is_and ? b : make_bool(*truth);
  if (is_and) a = without_implied(a, b);
  return junction(e, n, a, b);
}

// The conjunction `a` without the conjuncts that its other conjuncts and `b` imply.
Expr ExprSimplifier::without_implied(const Expr& a, const Expr& b) {
  const auto* whole = a.as<Binary>();
  if (!whole || whole->op != BinaryOp::kAnd) return a;
  std::vector<Expr> parts;
  conjuncts(a, parts);
  const std::size_t before = parts.size();
  for (std::size_t p = 0; p < parts.size();) {
    Ranges others = ranges_;
    for (std::size_t q = 0; q < parts.size(); ++q)
      if (q != p) others.assume(parts[q]);
    others.assume(b);
    if (is_always_true(parts[p], others) && parts.size() > 1) {
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(p));
    } else {
      ++p;
    }
  }
  if (parts.size() == before) return a;
  again_ = true;
  return conjunction(parts);
}

Expr ExprSimplifier::run_not(const Expr& e, const Not& n) {
  Expr a = run(n.a);
  if (is_true(a) || is_false(a)) return !a;
  if (const auto* inner = a.as<Not>()) return inner->a;
  if (const auto* c = a.as<Binary>(); c && is_comparison(c->op)) {
    const bool is_equality = c->op == BinaryOp::kEq || c->op == BinaryOp::kNe;
    if (is_equality || !c->a.type().is_float()) {  // both a comparison with NaN and its opposite are false
      again_ = true;
      return make_binary(opposite(c->op), c->a, c->b);
    }
  }
  return a.same_as(n.a) ? e : make_not(std::move(a));
}

Expr ExprSimplifier::run_vectors(BinaryOp op, const Expr& a, const Expr& b) {
  const int lanes = a.lanes();
  const auto *x = a.as<Broadcast>(), *y = b.as<Broadcast>();
  if (x && y) return make_broadcast(run(make_binary(op, x->value, y->value)), lanes);
  Expr base_a, base_b, stride_a, stride_b;
  const bool ramps = a.type().element() == kIndex && as_ramp(a, base_a, stride_a) && as_ramp(b, base_b, stride_b);
  if (ramps && (op == BinaryOp::kAdd || op == BinaryOp::kSub)) {
    const Expr stride = run(make_binary(op, stride_a, stride_b));
    const Expr base = run(make_binary(op, base_a, base_b));
    return is_const_int(stride, 0) ? make_broadcast(base, lanes) : make_ramp(base, stride, lanes);
  }
  if (ramps && op == BinaryOp::kMul && ((x && as_const_int(x->value)) || (y && as_const_int(y->value)))) {
    const Expr& factor = x ? x->value : y->value;
    return make_ramp(run((x ? base_b : base_a) * factor), run((x ? stride_b : stride_a) * factor), lanes);
  }
  Expr result = make_binary(op, a, b);
  if (is_comparison(op)) {
    if (const auto truth = decided(result, ranges_)) return make_bool(*truth, lanes);
  }
  return result;
}

}  // namespace nestwright::ir
