// Floor division and modulo of index expressions. The rules hold for floor semantics and any sign of the dividend; the
// divisor is positive.
#include <numeric>

#include "ir/simplify/expr_simplifier.h"
#include "ir/traversal/equal.h"

namespace nestwright::ir {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 40;  // products of divisors stay below it, far from overflow

Interval below(std::int64_t divisor) { return {0, divisor - 1}; }

// The term (atom op constant) of a sum that has no other term but a constant; the divisor is positive.
const Binary* lone_operation(const Linear& a, BinaryOp op, std::int64_t& constant) {
  if (a.terms.size() != 1 || a.terms[0].coefficient != 1) return nullptr;
  const auto* n = a.terms[0].atom.as<Binary>();
  if (!n || n->op != op) return nullptr;
  const std::int64_t* value = as_const_int(n->b);
  if (!value || *value <= 0) return nullptr;
  constant = *value;
  return n;
}

}  // namespace

Expr ExprSimplifier::run_division(const Expr& e, const Binary& n) {
  const Expr a = run(n.a), b = run(n.b);
  const bool divides = n.op == BinaryOp::kDiv;
  const Linear dividend = to_linear(a);
  const std::int64_t* constant = as_const_int(b);
  Expr result;
  if (has_data(dividend) || may_wrap(dividend) || (!constant && has_data(to_linear(b)))) {
    result = apply(n.op, a, b);
  } else if (constant && *constant > 0) {
    Linear sum = divides ? quotient(dividend, *constant) : remainder(dividend, *constant);
    join_quotients(sum);
    result = sum.expr();
  } else if (!constant) {
    Linear whole, rest;
    split_multiples(dividend, to_linear(b), whole, rest);
    const bool exact = (rest.is_constant() && rest.constant == 0) || within_divisor(rest, b);
    Linear sum = divides ? whole : Linear{};
    if (!exact) {
      sum.add_term(make_binary(n.op, rest.expr(), b), 1);
    } else if (!divides) {
      sum.add(rest);
    }
    result = sum.expr();
  } else {
    result = apply(n.op, a, b);
  }
  return equal(result, e) ? e : result;
}

bool ExprSimplifier::within_divisor(const Linear& a, const Expr& divisor) const {
  if (!at_least(a, 0, ranges_)) return false;
  Linear room = to_linear(divisor);
  return at_least(room.add(a, -1), 1, ranges_);
}

Linear ExprSimplifier::quotient(const Linear& a, std::int64_t divisor) {
  if (divisor == 1) return a;
  Linear whole, rest;
  split_multiples(a, Linear{divisor, {}}, whole, rest);
  if (rest.is_constant()) return whole;
  const Interval range = interval_bounds(rest, ranges_);
  if (range.bounded() && floor_div(range.lo, divisor) == floor_div(range.hi, divisor)) {
    whole.constant += floor_div(range.lo, divisor);
    return whole;
  }
  // (g*d + r)/(g*c) -> d/c where 0 <= r < g
  for (const LinearTerm& term : rest.terms) {
    const std::int64_t factor = std::gcd(term.coefficient, divisor);
    if (factor == 1) continue;
    Linear multiple, small;
    split_multiples(rest, Linear{factor, {}}, multiple, small);
    if (!within(interval_bounds(small, ranges_), below(factor))) continue;
    again_ = true;
    return whole.add(quotient(multiple, divisor / factor));
  }
  std::int64_t inner = 0;
  if (const Binary* n = lone_operation(rest, BinaryOp::kDiv, inner); n && inner < kLargest / divisor) {
    // (x/b + k)/c -> (x + k*b)/(b*c)
    Linear dividend = to_linear(n->a);
    dividend.constant += rest.constant * inner;
    again_ = true;
    return whole.add(quotient(dividend, inner * divisor));
  }
  if (const Binary* n = lone_operation(rest, BinaryOp::kMod, inner); n && rest.constant == 0 && inner % divisor == 0) {
    // (x%(c*m))/c -> (x/c)%m
    again_ = true;
    return whole.add(remainder(quotient(to_linear(n->a), divisor), inner / divisor));
  }
  return whole.add_term(make_binary(BinaryOp::kDiv, rest.expr(), make_int(divisor, kIndex)), 1);
}

Linear ExprSimplifier::remainder(const Linear& a, std::int64_t divisor) {
  if (divisor == 1) return {};
  Linear whole, rest;
  split_multiples(a, Linear{divisor, {}}, whole, rest);
  if (rest.is_constant()) return rest;
  const Interval range = interval_bounds(rest, ranges_);
  if (range.bounded() && floor_div(range.lo, divisor) == floor_div(range.hi, divisor)) {
    rest.constant -= floor_div(range.lo, divisor) * divisor;
    return rest;
  }
  // (g*d + r)%(g*c) -> g*(d%c) + r where 0 <= r < g
  for (const LinearTerm& term : rest.terms) {
    const std::int64_t factor = std::gcd(term.coefficient, divisor);
    if (factor == 1) continue;
    Linear multiple, small;
    split_multiples(rest, Linear{factor, {}}, multiple, small);
    if (!within(interval_bounds(small, ranges_), below(factor))) continue;
    again_ = true;
    Linear joined;
    return joined.add(remainder(multiple, divisor / factor), factor).add(small);
  }
  std::int64_t inner = 0;
  if (const Binary* n = lone_operation(rest, BinaryOp::kMod, inner); n && inner % divisor == 0) {
    // (x%(c*m) + k)%c -> (x + k)%c
    Linear dividend = to_linear(n->a);
    dividend.constant += rest.constant;
    again_ = true;
    return remainder(dividend, divisor);
  }
  Linear result;
  return result.add_term(make_binary(BinaryOp::kMod, rest.expr(), make_int(divisor, kIndex)), 1);
}

}  // namespace nestwright::ir
