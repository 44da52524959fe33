#include "ir/analysis/bounds.h"

#include <numeric>
#include <optional>

#include "ir/traversal/equal.h"
#include "ir/traversal/rewrite.h"

namespace nestwright::ir {
namespace {

// Bounds of an operation from those of its operands, for types in which it cannot overflow 64 bits.
Interval combine(BinaryOp op, Interval a, Interval b) {
  switch (op) {
    case BinaryOp::kAdd:
      return add(a, b);
    case BinaryOp::kSub:
      return add(a, scale(b, -1));
    case BinaryOp::kMul:
      return mul(a, b);
    case BinaryOp::kDiv:
      return div(a, b);
    case BinaryOp::kMod:
      return mod(a, b);
    case BinaryOp::kMin:
      return min(a, b);
    case BinaryOp::kMax:
      return max(a, b);
    case BinaryOp::kEq:
    case BinaryOp::kNe:
    case BinaryOp::kLt:
    case BinaryOp::kLe:
    case BinaryOp::kGt:
    case BinaryOp::kGe:
    case BinaryOp::kAnd:
    case BinaryOp::kOr:
      break;
  }
  return {};
}

bool intervals_hold(BinaryOp op, Interval a, Interval b) {
  switch (op) {
    case BinaryOp::kLt:
      return a.hi < b.lo;
    case BinaryOp::kLe:
      return a.hi <= b.lo;
    case BinaryOp::kGt:
      return a.lo > b.hi;
    case BinaryOp::kGe:
      return a.lo >= b.hi;
    case BinaryOp::kEq:
      return a.is_point() && b.is_point() && a.lo == b.lo;
    case BinaryOp::kNe:
      return a.hi < b.lo || a.lo > b.hi;
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
    case BinaryOp::kMul:
    case BinaryOp::kDiv:
    case BinaryOp::kMod:
    case BinaryOp::kMin:
    case BinaryOp::kMax:
    case BinaryOp::kAnd:
    case BinaryOp::kOr:
      break;
  }
  return false;
}

Interval truth_if_known(bool is_true, bool is_false) { return {is_true ? 1 : 0, is_false ? 0 : 1}; }

// b - a: in the first lane, and what the others differ by.
struct Difference {
  Linear sum;
  Interval spread{0, 0};
};

// nullopt where the difference of the indices may wrap around, or is not linear in the lane.
std::optional<Difference> difference(const Expr& a, const Expr& b) {
  Expr base_a, base_b, stride_a, stride_b;
  if (!as_ramp(a, base_a, stride_a) || !as_ramp(b, base_b, stride_b)) return std::nullopt;
  Difference result{to_linear(base_b)};
  const Linear subtracted = to_linear(base_a);
  if (may_wrap(result.sum) || may_wrap(subtracted)) return std::nullopt;
  result.sum.add(subtracted, -1);
  if (a.lanes() == 1) return result;
  Linear stride = to_linear(stride_b);
  stride.add(to_linear(stride_a), -1);
  if (!stride.is_constant()) return std::nullopt;
  result.spread = scale({0, a.lanes() - 1}, stride.constant);
  return result;
}

Interval truth_of_comparison(const Binary& n, const Ranges& ranges) {
  const Type type = n.a.type();
  if (type.is_float() || type.element() == kUInt64) return {0, 1};
  Interval a, b;
  if (const auto known = type.element() == kIndex ? difference(n.a, n.b) : std::nullopt) {
    a = {0, 0};
    b = add(interval_bounds(known->sum, ranges), known->spread);
  } else if (type.element() == kIndex && !type.is_scalar()) {
    return {0, 1};
  } else {
    a = interval_bounds(n.a, ranges);
    b = interval_bounds(n.b, ranges);
  }
  return truth_if_known(intervals_hold(n.op, a, b), intervals_hold(opposite(n.op), a, b));
}

// What holds() finds with effort 0: {1, 1} if the condition is true, {0, 0} if it is false, {0, 1} if that is unknown.
// Takes one pass over the condition, because operands may be selects with conditions of their own.
Interval truth(const Expr& condition, const Ranges& ranges) {
  if (is_true(condition)) return {1, 1};
  if (is_false(condition)) return {0, 0};
  if (const auto* n = condition.as<Not>()) {
    const Interval inner = truth(n->a, ranges);
    return {1 - inner.hi, 1 - inner.lo};
  }
  if (const auto* n = condition.as<Broadcast>()) return truth(n->value, ranges);
  if (const auto* ref = condition.as<VarRef>()) {
    const Interval known = ranges.find(ref->var);
    return truth_if_known(known.is_point() && known.lo != 0, known.is_point() && known.lo == 0);
  }
  if (const auto* n = condition.as<Call>()) {
    return n->intrinsic == Intrinsic::kLikely ? truth(n->args[0], ranges) : Interval{0, 1};
  }
  if (const auto* n = condition.as<Select>()) return unite(truth(n->if_true, ranges), truth(n->if_false, ranges));
  const auto* n = condition.as<Binary>();
  if (!n) return {0, 1};
  if (n->op == BinaryOp::kAnd || n->op == BinaryOp::kOr) {
    const Interval a = truth(n->a, ranges), b = truth(n->b, ranges);
    return n->op == BinaryOp::kAnd ? min(a, b) : max(a, b);
  }
  return is_comparison(n->op) ? truth_of_comparison(*n, ranges) : Interval{0, 1};
}

Interval bounds_of_cast(const Cast& n, Type type, const Ranges& ranges) {
  const Type from = n.value.type().element();
  if (from.is_float() || from == kUInt64) return type_range(type);
  const Interval value = interval_bounds(n.value, ranges);
  if (type.bits >= 64 && type.code == TypeCode::kUInt && value.lo < 0) return type_range(type);
  return within(value, type_range(type)) ? value : type_range(type);
}

// Bounds of an expression that is not a sum of indices.
Interval bounds_of_atom(const Expr& e, const Ranges& ranges) {
  const Type type = e.type().element();
  if (const auto* ref = e.as<VarRef>()) return ranges.find(ref->var);
  if (const auto* imm = e.as<IntImm>()) return {imm->value, imm->value};
  if (type.is_float()) return {};
  if (const auto* n = e.as<Select>()) {
    const Interval condition = truth(n->condition, ranges);
    if (condition.is_point()) return interval_bounds(condition.lo ? n->if_true : n->if_false, ranges);
    return unite(interval_bounds(n->if_true, ranges), interval_bounds(n->if_false, ranges));
  }
  if (type.is_bool()) return truth(e, ranges);
  if (const auto* n = e.as<Binary>()) {
    if (type == kUInt64) return {};
    const Interval result = combine(n->op, interval_bounds(n->a, ranges), interval_bounds(n->b, ranges));
    // Indices do not overflow, but data may.
    if (type == kIndex && n->op == BinaryOp::kMul && !result.bounded() && reads_data(e)) return {};
    return within(result, type_range(type)) ? result : type_range(type);
  }
  if (const auto* n = e.as<Cast>()) return bounds_of_cast(*n, type, ranges);
  if (const auto* n = e.as<Ramp>()) {
    if (type != kIndex) return type_range(type);
    return add(interval_bounds(n->base, ranges), mul(interval_bounds(n->stride, ranges), {0, e.lanes() - 1}));
  }
  if (const auto* n = e.as<Broadcast>()) return interval_bounds(n->value, ranges);
  if (const auto* n = e.as<Call>(); n && n->intrinsic == Intrinsic::kAbs && type == kIndex) {
    const Interval value = interval_bounds(n->args[0], ranges);
    if (value.lo == Interval::kMin && reads_data(e)) return {};  // the magnitude of the smallest int64 wraps to itself
    const Interval both = max(value, scale(value, -1));
    return {both.lo < 0 ? 0 : both.lo, both.hi};
  }
  return type_range(type);
}

// Bounds of a sum that may wrap around, from those of its operands.
Interval wrapping_bounds(const Binary& n, const Ranges& ranges) {
  const Interval result = combine(n.op, interval_bounds(n.a, ranges), interval_bounds(n.b, ranges));
  return result.bounded() ? result : Interval{};
}

bool shares_atom(const Linear& a, const Linear& b) {
  for (const LinearTerm& x : a.terms) {
    for (const LinearTerm& y : b.terms) {
      if (same_atom(x.atom, y.atom)) return true;
    }
  }
  return false;
}

bool follows_from_fact(const Linear& sum, std::int64_t goal, const Ranges& ranges) {
  for (const Linear& fact : ranges.facts()) {
    if (!shares_atom(sum, fact)) continue;
    Linear rest = sum;
    rest.add(fact, -1);
    if (interval_bounds(rest, ranges).lo >= goal) return true;
  }
  return false;
}

// Whether sum >= goal, where a variable in its term `index`, a product whose other factors are not negative, is
// replaced by its bound.
bool product_at_least(const Linear& sum, std::size_t index, std::int64_t goal, const Ranges& ranges, int effort) {
  const std::vector<Expr> factors = factors_of(sum.terms[index].atom);
  const bool positive = sum.terms[index].coefficient > 0;
  for (std::size_t f = 0; f < factors.size(); ++f) {
    const auto* ref = factors[f].as<VarRef>();
    if (!ref) continue;
    const Interval known = ranges.find(ref->var);
    Expr end = positive ? ranges.least(ref->var) : ranges.greatest(ref->var);
    if (!end.defined() && positive && known.lo != Interval::kMin) end = known.lo;
    if (!end.defined() && !positive && known.hi != Interval::kMax) end = known.hi;
    if (!end.defined()) continue;
    Linear product = to_linear(end);
    bool usable = true;
    for (std::size_t other = 0; other < factors.size() && usable; ++other) {
      if (other == f) continue;
      usable = interval_bounds(factors[other], ranges).lo >= 0;
      product = multiply(product, Linear{0, {{factors[other], 1}}});
    }
    if (!usable) continue;
    Linear next = sum;
    next.terms.erase(next.terms.begin() + static_cast<std::ptrdiff_t>(index));
    if (at_least(next.add(product, sum.terms[index].coefficient), goal, ranges, effort - 1)) return true;
  }
  return false;
}

// Whether sum = rest + k*(x/d) >= goal, with the quotient multiplied out: d > 0 and d*(x/d) lies in x-d+1 .. x. Only
// for quotients of which intervals alone know too little.
bool quotient_at_least(const Linear& sum, std::size_t index, const Binary& n, std::int64_t goal, const Ranges& ranges,
                       int effort) {
  const bool is_symbolic = !as_const_int(n.b) || !interval_bounds(n.a, ranges).bounded();
  const Linear divisor = to_linear(n.b), dividend = to_linear(n.a);
  if (!is_symbolic || !at_least(divisor, 1, ranges, effort - 1)) return false;
  Linear rest = sum;
  std::int64_t k = rest.terms[index].coefficient;
  rest.terms.erase(rest.terms.begin() + static_cast<std::ptrdiff_t>(index));
  rest.constant -= goal;
  // The rounding below loses precision for terms whose coefficients are not multiples of k: such variables are replaced
  // by the bound that makes the sum smallest.
  for (std::size_t t = rest.terms.size(); t-- > 0;) {
    const LinearTerm term = rest.terms[t];
    const auto* ref = term.atom.as<VarRef>();
    if (!ref || term.coefficient % k == 0) continue;
    const Interval known = ranges.find(ref->var);
    const std::int64_t worst = term.coefficient > 0 ? known.lo : known.hi;
    if (worst == Interval::kMin || worst == Interval::kMax) continue;
    rest.terms.erase(rest.terms.begin() + static_cast<std::ptrdiff_t>(t));
    rest.constant += term.coefficient * worst;
  }
  // rest + k*q >= 0 in lowest terms.
  std::int64_t common = std::abs(k);
  for (const LinearTerm& term : rest.terms) common = std::gcd(common, term.coefficient);
  for (LinearTerm& term : rest.terms) term.coefficient /= common;
  rest.constant = floor_div(rest.constant, common);
  k /= common;
  Linear goal_sum;
  if (k > 0) {  // d*rest + k*(x - d + 1) >= 0
    goal_sum = multiply(divisor, rest);
    goal_sum.add(dividend, k).add(divisor, -k).constant += k;
  } else {  // q <= rest / -k, which holds where -k*x < d*(rest + 1)
    rest.constant += 1;
    goal_sum = multiply(divisor, rest);
    goal_sum.add(dividend, k).constant -= 1;
  }
  return at_least(goal_sum, 0, ranges, effort - 1);
}

// Whether sum >= goal, where its term `index` subtracts x%d, which is at most d-1, and at most x where x >= 0.
bool remainder_at_least(const Linear& sum, std::size_t index, const Binary& n, std::int64_t goal, const Ranges& ranges,
                        int effort) {
  if (as_const_int(n.b) && interval_bounds(n.a, ranges).bounded()) return false;
  const bool by_divisor = !as_const_int(n.b) && at_least(to_linear(n.b), 1, ranges, effort - 1);
  if (by_divisor && at_least(replaced(sum, index, n.b - 1), goal, ranges, effort - 1)) return true;
  const bool is_positive = (by_divisor || as_const_int(n.b)) && interval_bounds(n.a, ranges).lo >= 0;
  return is_positive && at_least(replaced(sum, index, n.a), goal, ranges, effort - 1);
}

// Whether `a op b` holds for index expressions, in every lane where they are ramps.
bool comparison_holds(BinaryOp op, const Expr& a, const Expr& b, const Ranges& ranges, int effort) {
  const std::optional<Difference> known = difference(a, b);
  if (!known) {
    return a.type().is_scalar() && intervals_hold(op, interval_bounds(a, ranges), interval_bounds(b, ranges));
  }
  Linear less = known->sum, more;  // b - a and a - b, each in the lane of its minimum
  more.add(less, -1);
  less.constant += known->spread.lo;
  more.constant -= known->spread.hi;
  switch (op) {
    case BinaryOp::kLt:
      return at_least(less, 1, ranges, effort);
    case BinaryOp::kLe:
      return at_least(less, 0, ranges, effort);
    case BinaryOp::kGt:
      return at_least(more, 1, ranges, effort);
    case BinaryOp::kGe:
      return at_least(more, 0, ranges, effort);
    case BinaryOp::kEq:
      return at_least(less, 0, ranges, effort) && at_least(more, 0, ranges, effort);
    case BinaryOp::kNe:
      return at_least(less, 1, ranges, effort) || at_least(more, 1, ranges, effort);
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
    case BinaryOp::kMul:
    case BinaryOp::kDiv:
    case BinaryOp::kMod:
    case BinaryOp::kMin:
    case BinaryOp::kMax:
    case BinaryOp::kAnd:
    case BinaryOp::kOr:
      break;
  }
  return false;
}

// Whether every lane of `condition` is `wanted` for every value in `ranges`.
bool holds(const Expr& condition, bool wanted, const Ranges& ranges, int effort) {
  if (is_true(condition)) return wanted;
  if (is_false(condition)) return !wanted;
  if (const auto* n = condition.as<Not>()) return holds(n->a, !wanted, ranges, effort);
  if (const auto* n = condition.as<Broadcast>()) return holds(n->value, wanted, ranges, effort);
  if (const auto* ref = condition.as<VarRef>()) {
    const Interval known = ranges.find(ref->var);
    return known.is_point() && (known.lo != 0) == wanted;
  }
  if (const auto* n = condition.as<Call>()) {
    return n->intrinsic == Intrinsic::kLikely && holds(n->args[0], wanted, ranges, effort);
  }
  if (const auto* n = condition.as<Select>()) {
    return holds(n->if_true, wanted, ranges, effort) && holds(n->if_false, wanted, ranges, effort);
  }
  const auto* n = condition.as<Binary>();
  if (!n) return false;
  if (n->op == BinaryOp::kAnd || n->op == BinaryOp::kOr) {
    const bool both = (n->op == BinaryOp::kAnd) == wanted;
    const bool a = holds(n->a, wanted, ranges, effort);
    return a == both ? holds(n->b, wanted, ranges, effort) : a;
  }
  const Type type = n->a.type().element();
  if (!is_comparison(n->op) || type.is_float() || type == kUInt64) return false;
  const BinaryOp op = wanted ? n->op : opposite(n->op);
  if (type == kIndex) return comparison_holds(op, n->a, n->b, ranges, effort);
  return intervals_hold(op, interval_bounds(n->a, ranges), interval_bounds(n->b, ranges));
}

}  // namespace

BinaryOp opposite(BinaryOp op) {
  constexpr BinaryOp kOpposites[] = {BinaryOp::kNe, BinaryOp::kEq, BinaryOp::kGe,
                                     BinaryOp::kGt, BinaryOp::kLe, BinaryOp::kLt};
  return kOpposites[static_cast<int>(op) - static_cast<int>(BinaryOp::kEq)];
}

bool as_ramp(const Expr& e, Expr& base, Expr& stride) {
  if (const auto* ramp = e.as<Ramp>()) {
    base = ramp->base;
    stride = ramp->stride;
    return true;
  }
  const auto* broadcast = e.as<Broadcast>();
  if (!broadcast && !e.type().is_scalar()) return false;
  base = broadcast ? broadcast->value : e;
  stride = 0;
  return true;
}

Interval interval_bounds(const Expr& e, const Ranges& ranges) {
  if (!is_index_sum(e)) return bounds_of_atom(e, ranges);
  const Linear sum = to_linear(e);
  return may_wrap(sum) ? wrapping_bounds(*e.as<Binary>(), ranges) : interval_bounds(sum, ranges);
}

Interval interval_bounds(const Linear& sum, const Ranges& ranges) {
  Interval total{sum.constant, sum.constant};
  for (const LinearTerm& term : sum.terms) {
    total = add(total, scale(bounds_of_atom(term.atom, ranges), term.coefficient));
  }
  return total;
}

Interval bounds(const Expr& e, const Ranges& ranges) {
  if (e.type() != kIndex) return bounds_of_atom(e, ranges);
  const Linear sum = to_linear(e);
  if (may_wrap(sum)) return interval_bounds(e, ranges);
  Interval result = interval_bounds(sum, ranges);
  for (const Linear& fact : ranges.facts()) {
    if (!shares_atom(sum, fact)) continue;
    Linear below = sum, above = sum;
    result = intersect(result,
                       {interval_bounds(below.add(fact, -1), ranges).lo, interval_bounds(above.add(fact), ranges).hi});
  }
  return result;
}

bool at_least(const Linear& sum, std::int64_t goal, const Ranges& ranges, int effort) {
  if (interval_bounds(sum, ranges).lo >= goal) return true;
  if (effort == 0 || sum.is_constant()) return false;
  if (follows_from_fact(sum, goal, ranges)) return true;
  for (std::size_t i = 0; i < sum.terms.size(); ++i) {
    const LinearTerm& term = sum.terms[i];
    const bool positive = term.coefficient > 0;
    if (const auto* ref = term.atom.as<VarRef>()) {
      const Expr end = positive ? ranges.least(ref->var) : ranges.greatest(ref->var);
      if (end.defined() && at_least(replaced(sum, i, end), goal, ranges, effort - 1)) return true;
      continue;
    }
    const auto* n = term.atom.as<Binary>();
    if (!n) continue;
    if (n->op == BinaryOp::kMul && product_at_least(sum, i, goal, ranges, effort)) return true;
    if (n->op == BinaryOp::kDiv && quotient_at_least(sum, i, *n, goal, ranges, effort)) return true;
    if (n->op == BinaryOp::kMod && !positive && remainder_at_least(sum, i, *n, goal, ranges, effort)) return true;
    if (n->op != BinaryOp::kMin && n->op != BinaryOp::kMax) continue;
    // min(a, b) is a or b, so the sum with each must be large enough. Where min(a, b) is subtracted, one is sufficient,
    // because it is at most either.
    const bool a = at_least(replaced(sum, i, n->a), goal, ranges, effort - 1);
    const bool one_suffices = (n->op == BinaryOp::kMax) == positive;
    if (a == one_suffices) {
      if (a) return true;
      continue;
    }
    if (at_least(replaced(sum, i, n->b), goal, ranges, effort - 1)) return true;
  }
  return false;
}

bool is_always_true(const Expr& condition, const Ranges& ranges, int effort) {
  return holds(condition, true, ranges, effort);
}

bool is_always_false(const Expr& condition, const Ranges& ranges, int effort) {
  return holds(condition, false, ranges, effort);
}

}  // namespace nestwright::ir
