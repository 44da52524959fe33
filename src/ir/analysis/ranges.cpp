#include "ir/analysis/ranges.h"

#include <algorithm>

#include "ir/analysis/bounds.h"
#include "ir/analysis/interval.h"
#include "ir/construction/conjunction.h"

namespace nestwright::ir {
namespace {

// The values of the variable for which coefficient * variable + rest >= 0 is possible.
Interval solve(std::int64_t coefficient, Interval rest) {
  if (rest.hi == Interval::kMax || rest.hi == Interval::kMin) return {};
  if (coefficient > 0) return {-floor_div(rest.hi, coefficient), Interval::kMax};
  return {Interval::kMin, floor_div(rest.hi, -coefficient)};
}

}  // namespace

const Ranges::Known* Ranges::search(const Var& var) const {
  // Queries are mostly about the innermost variables.
  for (auto known = known_.rbegin(); known != known_.rend(); ++known) {
    if (known->var == var) return &*known;
  }
  return nullptr;
}

void Ranges::bind(const Var& var, Interval interval) {
  forget(var);
  known_.push_back({var, interval, {}, {}});
}

void Ranges::bind(const Var& var, const Expr& min, const Expr& extent) {
  const std::int64_t *first = as_const_int(min), *count = as_const_int(extent);
  if (first != nullptr && count != nullptr) return bind(var, {*first, std::max(*first, *first + *count - 1)});
  forget(var);
  const Interval from = bounds(min, *this);
  Expr last = min + extent - 1;
  const Interval to = bounds(last, *this);
  const Interval interval{from.lo, std::max(from.lo, to.hi)};
  known_.push_back({var, interval, as_const_int(min) ? Expr() : min, as_const_int(last) ? Expr() : std::move(last)});
}

void Ranges::forget(const Var& var) {
  if (!search(var)) return;
  std::erase_if(known_, [&](const Known& known) { return known.var == var; });
  std::erase_if(facts_, [&](const Linear& fact) { return fact.coefficient(var) != 0 || fact.is_nonlinear_in(var); });
  const auto mentions = [&](const Expr& e) {
    if (!e.defined()) return false;
    const Linear sum = to_linear(e);
    return sum.coefficient(var) != 0 || sum.is_nonlinear_in(var);
  };
  for (Known& known : known_) {
    if (mentions(known.least)) known.least = {};
    if (mentions(known.greatest)) known.greatest = {};
  }
}

Interval Ranges::find(const Var& var) const {
  const Known* known = search(var);
  return known ? known->interval : type_range(var.type());
}

Expr Ranges::least(const Var& var) const {
  const Known* known = search(var);
  return known ? known->least : Expr();
}

Expr Ranges::greatest(const Var& var) const {
  const Known* known = search(var);
  return known ? known->greatest : Expr();
}

void Ranges::reset(Mark mark) {
  known_.resize(mark.variables);
  facts_.resize(mark.facts);
}

void Ranges::narrow(const Var& var, Interval interval) {
  for (auto known = known_.rbegin(); known != known_.rend(); ++known) {
    if (known->var == var) {
      known->interval = intersect(known->interval, interval);
      return;
    }
  }
  known_.push_back({var, intersect(type_range(var.type()), interval), {}, {}});
}

void Ranges::assume(const Expr& condition) {
  if (!condition.defined() || !condition.type().is_scalar()) return;
  if (const Expr& plain = without_likely(condition); !plain.same_as(condition)) return assume(plain);
  if (const auto* negated = condition.as<Not>()) return assume_not(negated->a);
  if (const auto* ref = condition.as<VarRef>()) return narrow(ref->var, {1, 1});
  const auto* n = condition.as<Binary>();
  if (!n) return;
  if (n->op == BinaryOp::kAnd) {
    assume(n->a);
    assume(n->b);
  } else if (is_comparison(n->op)) {
    assume_comparison(n->op, n->a, n->b);
  }
}

void Ranges::assume_not(const Expr& condition) {
  if (!condition.defined() || !condition.type().is_scalar()) return;
  if (const Expr& plain = without_likely(condition); !plain.same_as(condition)) return assume_not(plain);
  if (const auto* negated = condition.as<Not>()) return assume(negated->a);
  if (const auto* ref = condition.as<VarRef>()) return narrow(ref->var, {0, 0});
  const auto* n = condition.as<Binary>();
  if (!n) return;
  if (n->op == BinaryOp::kOr) {
    assume_not(n->a);
    assume_not(n->b);
  } else if (is_comparison(n->op)) {
    assume_comparison(opposite(n->op), n->a, n->b);
  }
}

void Ranges::assume_comparison(BinaryOp op, const Expr& a, const Expr& b) {
  if (a.type() != kIndex) return;
  Linear difference = to_linear(a);
  const Linear subtracted = to_linear(b);
  if (may_wrap(difference) || may_wrap(subtracted)) return;
  difference.add(subtracted, -1);
  Linear opposite;
  opposite.add(difference, -1);
  switch (op) {
    case BinaryOp::kEq:
      assume_not_negative(difference);
      assume_not_negative(opposite);
      return;
    case BinaryOp::kNe:
      // An interval can exclude a value at its ends only.
      if (at_least(difference, 0, *this)) {
        difference.constant -= 1;
        assume_not_negative(difference);
      } else if (at_least(opposite, 0, *this)) {
        opposite.constant -= 1;
        assume_not_negative(opposite);
      }
      return;
    case BinaryOp::kLt:
    case BinaryOp::kLe:
      opposite.constant -= op == BinaryOp::kLt;
      assume_not_negative(opposite);
      return;
    case BinaryOp::kGt:
    case BinaryOp::kGe:
      difference.constant -= op == BinaryOp::kGt;
      assume_not_negative(difference);
      return;
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
    case BinaryOp::kMul:
    case BinaryOp::kDiv:
    case BinaryOp::kMod:
    case BinaryOp::kMin:
    case BinaryOp::kMax:
    case BinaryOp::kAnd:
    case BinaryOp::kOr:
      return;
  }
}

void Ranges::assume_not_negative(Linear sum) {
  if (sum.is_constant()) return;
  for (std::size_t i = 0; i < sum.terms.size(); ++i) {
    const auto* ref = sum.terms[i].atom.as<VarRef>();
    if (!ref) continue;
    Interval rest{sum.constant, sum.constant};
    for (std::size_t j = 0; j < sum.terms.size(); ++j) {
      if (j != i) rest = add(rest, scale(bounds(sum.terms[j].atom, *this), sum.terms[j].coefficient));
    }
    narrow(ref->var, solve(sum.terms[i].coefficient, rest));
  }
  const bool is_bound_of_variable = sum.terms.size() == 1 && sum.terms[0].atom.as<VarRef>();
  if (!is_bound_of_variable) facts_.push_back(std::move(sum));
}

}  // namespace nestwright::ir
