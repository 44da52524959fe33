#include "ir/simplify/inequality.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <span>

#include "ir/analysis/bounds.h"
#include "ir/traversal/equal.h"
#include "ir/traversal/rewrite.h"

namespace nestwright::ir {
namespace {

/// The largest number of inequalities that are combined, and of combinations that are tried.
constexpr int kSearchDepth = 5;
constexpr int kSearchBudget = 400;

/// Bounds of an index that draw on facts inside of quotients, too: of x/17, where only a guard bounds x.
Interval bounds_by_facts(const Expr& e, const Ranges& ranges) {
  const Interval known = bounds(e, ranges);
  if (e.type() != kIndex) return known;
  const auto* binary = e.as<Binary>();
  const std::int64_t* divisor = binary != nullptr && binary->op == BinaryOp::kDiv ? as_const_int(binary->b) : nullptr;
  if (divisor != nullptr && *divisor > 0) {
    return intersect(known, div(bounds_by_facts(binary->a, ranges), {*divisor, *divisor}));
  }
  const Linear sum = to_linear(e);
  const bool is_atom = sum.terms.size() == 1 && same_atom(sum.terms[0].atom, e);
  if (is_atom || may_wrap(sum)) return known;
  Interval total{sum.constant, sum.constant};
  for (const LinearTerm& term : sum.terms) {
    total = add(total, scale(bounds_by_facts(term.atom, ranges), term.coefficient));
  }
  return intersect(known, total);
}

bool is_division(const Expr& atom) {
  const auto* binary = atom.as<Binary>();
  return binary != nullptr && (binary->op == BinaryOp::kDiv || binary->op == BinaryOp::kMod);
}

/// Whether `atom` has the value of one of its operands.
bool is_choice(const Expr& atom) {
  const auto* binary = atom.as<Binary>();
  return atom.as<Select>() != nullptr ||
         (binary != nullptr && (binary->op == BinaryOp::kMin || binary->op == BinaryOp::kMax));
}

/// Adds what the definition of floor division implies for an atom x / c or x % c, as sums that are at least 0.
void add_division_facts(const Expr& atom, std::vector<Linear>& facts) {
  if (!is_division(atom)) return;
  const auto* binary = atom.as<Binary>();
  const std::int64_t* divisor = as_const_int(binary->b);
  if (!divisor || *divisor <= 0) return;
  const bool is_quotient = binary->op == BinaryOp::kDiv;
  const Expr quotient = is_quotient ? atom : make_binary(BinaryOp::kDiv, binary->a, binary->b);
  Linear rest = to_linear(binary->a);
  rest.add({0, {{quotient, 1}}}, -*divisor);  // x - c * (x / c), which lies in 0 .. c - 1
  if (is_quotient) {
    facts.push_back(rest);
    facts.push_back(Linear{*divisor - 1, {}}.add(rest, -1));
  } else {
    facts.push_back(Linear{0, {{atom, 1}}}.add(rest, -1));
    facts.push_back(Linear(rest).add({0, {{atom, 1}}}, -1));
  }
}

/// Adds the symbolic bounds of a variable, as sums that are at least 0.
void add_bound_facts(const Expr& atom, const Ranges& ranges, std::vector<Linear>& facts) {
  const auto* ref = atom.as<VarRef>();
  if (!ref) return;
  const Linear self{0, {{atom, 1}}};
  if (const Expr least = ranges.least(ref->var); least.defined())
    facts.push_back(Linear(self).add(to_linear(least), -1));
  if (const Expr greatest = ranges.greatest(ref->var); greatest.defined())
    facts.push_back(to_linear(greatest).add(self, -1));
}

/// Whether `atom` is x / c or x % c of an x that is a term of the sum.
bool divides_a_term(const Expr& atom, const Linear& sum) {
  if (!is_division(atom)) return false;
  const auto* binary = atom.as<Binary>();
  return std::any_of(sum.terms.begin(), sum.terms.end(),
                     [&](const LinearTerm& term) { return same_atom(term.atom, binary->a); });
}

/// Adds that x / c % d, which occurs in a fact, is the quotient by c of x % (c * d), where that is a term of the sum.
void add_digit_facts(const Expr& atom, const Linear& sum, std::vector<Linear>& facts) {
  const auto* remainder = atom.as<Binary>();
  if (!remainder || remainder->op != BinaryOp::kMod) return;
  const auto* quotient = remainder->a.as<Binary>();
  if (!quotient || quotient->op != BinaryOp::kDiv) return;
  const std::int64_t *c = as_const_int(quotient->b), *d = as_const_int(remainder->b);
  if (!c || !d || *c <= 0 || *d <= 0 || *c > std::numeric_limits<std::int32_t>::max() / *d) return;
  const Expr whole = make_binary(BinaryOp::kMod, quotient->a, Expr(*c * *d));
  const bool has = std::any_of(sum.terms.begin(), sum.terms.end(),
                               [&](const LinearTerm& term) { return same_atom(term.atom, whole); });
  if (!has) return;
  const Linear rest{0, {{whole, 1}, {atom, -*c}}};  // which lies in 0 .. c - 1
  facts.push_back(rest);
  facts.push_back(Linear{*c - 1, {}}.add(rest, -1));
}

/// The sum divided by the common divisor of its coefficients, rounded down. It is at least 0 exactly where the sum is:
/// 40 - 6*n >= 0 where 6 - n >= 0. Its bounds are tighter, since they count only the values that the sum can have.
Linear tightened(Linear sum) {
  std::int64_t divisor = 0;
  for (const LinearTerm& term : sum.terms) divisor = std::gcd(divisor, term.coefficient);
  if (divisor <= 1 || may_wrap(sum)) return sum;
  for (LinearTerm& term : sum.terms) term.coefficient /= divisor;
  sum.constant = floor_div(sum.constant, divisor);
  return sum;
}

/// Adds that x % c, a term of the sum, is at most x % (c * d), which occurs in a fact.
void add_remainder_facts(const Expr& atom, const Linear& sum, std::vector<Linear>& facts) {
  const auto* whole = atom.as<Binary>();
  const std::int64_t* modulus = whole != nullptr && whole->op == BinaryOp::kMod ? as_const_int(whole->b) : nullptr;
  if (modulus == nullptr || *modulus <= 0) return;
  for (const LinearTerm& term : sum.terms) {
    const auto* part = term.atom.as<Binary>();
    const std::int64_t* c = part != nullptr && part->op == BinaryOp::kMod ? as_const_int(part->b) : nullptr;
    if (c == nullptr || *c <= 0 || *c >= *modulus || *modulus % *c != 0) continue;
    if (same_atom(make_binary(BinaryOp::kMod, part->a, whole->b), atom))
      facts.push_back(Linear{0, {{atom, 1}, {term.atom, -1}}});
  }
}

bool search(const Linear& sum, const Ranges& ranges, int depth, int& budget);

constexpr std::int64_t kMaxScale = 1 << 20;  // of a sum or a fact, in one step

/// Whether the sum has a number so large that adding two such sums, each times kMaxScale, might overflow.
bool has_large_numbers(const Linear& sum) {
  constexpr std::int64_t kMaxNumber = std::int64_t{1} << 40;
  const auto is_large = [](std::int64_t n) { return n > kMaxNumber || n < -kMaxNumber; };
  return is_large(sum.constant) || std::any_of(sum.terms.begin(), sum.terms.end(),
                                               [&](const LinearTerm& term) { return is_large(term.coefficient); });
}

/// Whether the sum is at least 0 by a fact that eliminates one of `terms`, which are terms of the sum.
bool search_with(std::span<const Linear> facts, std::span<const LinearTerm> terms, const Linear& sum,
                 const Ranges& ranges, int depth, int& budget) {
  for (const Linear& fact : facts) {
    for (const LinearTerm& term : terms) {
      const auto match = std::find_if(fact.terms.begin(), fact.terms.end(), [&](const LinearTerm& candidate) {
        return (candidate.coefficient > 0) == (term.coefficient > 0) && same_atom(candidate.atom, term.atom);
      });
      if (match == fact.terms.end()) continue;
      // scale * sum - times * fact eliminates the term. An integer n >= 0 if scale * n + scale - 1 >= 0.
      const std::int64_t of_fact = std::abs(match->coefficient), of_target = std::abs(term.coefficient);
      const std::int64_t common = std::gcd(of_fact, of_target);
      const std::int64_t scale = of_fact / common, times = of_target / common;
      if (scale > kMaxScale || times > kMaxScale || has_large_numbers(fact)) continue;
      const Linear next = Linear{scale - 1, {}}.add(sum, scale).add(fact, -times);
      if (search(next, ranges, depth - 1, budget)) return true;
    }
  }
  return false;
}

bool search(const Linear& sum, const Ranges& ranges, int depth, int& budget) {
  if (has_large_numbers(sum)) return false;
  const Linear target = tightened(sum);
  if (interval_bounds(target, ranges).lo >= 0) return true;
  if (depth == 0 || --budget < 0) return false;
  for (std::size_t t = 0; t < target.terms.size(); ++t) {
    const LinearTerm& term = target.terms[t];
    if (is_choice(term.atom) && search_with(ranges.facts(), {&term, 1}, target, ranges, depth, budget)) return true;
    if (const auto* choice = term.atom.as<Select>()) {
      Ranges where_true = ranges, where_false = ranges;
      where_true.assume(choice->condition);
      where_false.assume_not(choice->condition);
      return search(replaced(target, t, choice->if_true), where_true, depth - 1, budget) &&
             search(replaced(target, t, choice->if_false), where_false, depth - 1, budget);
    }
    if (!is_choice(term.atom)) continue;
    const auto* binary = term.atom.as<Binary>();
    // The atom is a or b, so both cases must hold; where either operand bounds the sum from below, one is sufficient.
    const bool either = (binary->op == BinaryOp::kMin) == (term.coefficient < 0);
    const bool first = search(replaced(target, t, binary->a), ranges, depth - 1, budget);
    if (first == either) return first;
    return search(replaced(target, t, binary->b), ranges, depth - 1, budget);
  }
  std::vector<Linear> facts = ranges.facts();
  for (const Linear& known : ranges.facts()) {
    for (const LinearTerm& term : known.terms) {
      if (divides_a_term(term.atom, target)) add_division_facts(term.atom, facts);
      add_digit_facts(term.atom, target, facts);
      add_remainder_facts(term.atom, target, facts);
    }
  }
  for (const LinearTerm& term : target.terms) {
    add_division_facts(term.atom, facts);
    add_bound_facts(term.atom, ranges, facts);
  }
  return search_with(facts, target.terms, target, ranges, depth, budget);
}

/// `sum` with a lower bound in place of the terms whose coefficients are not multiples of those of its quotients and
/// remainders, tightened: 15 - 2*(x/20) - r with r <= 1 is at least 0 where 7 - x/20 is. Absent if there is no such
/// term.
std::optional<Linear> rounded_to_quotients(const Linear& sum, const Ranges& ranges) {
  std::int64_t divisor = 0;
  for (const LinearTerm& term : sum.terms)
    divisor = is_division(term.atom) ? std::gcd(divisor, term.coefficient) : divisor;
  if (divisor <= 1 || may_wrap(sum)) return {};
  Linear whole{sum.constant, {}}, rest;
  for (const LinearTerm& term : sum.terms) (term.coefficient % divisor == 0 ? whole : rest).terms.push_back(term);
  const std::int64_t least = interval_bounds(rest, ranges).lo;
  if (rest.terms.empty() || least < -Interval::kFar) return {};
  whole.constant += least;
  return tightened(whole);
}

/// Whether `ranges` admits no values, because some of its conditions never hold together: then everything is proved.
bool is_contradictory(const Ranges& ranges) {
  return std::any_of(ranges.facts().begin(), ranges.facts().end(),
                     [&](const Linear& fact) { return !may_wrap(fact) && interval_bounds(fact, ranges).hi < 0; });
}

}  // namespace

bool non_negative(const Expr& e, const Ranges& ranges) {
  const Linear sum = to_linear(simplify(e, ranges));
  if (at_least(sum, 0, ranges)) return true;  // cheap, and sufficient for most
  if (bounds_by_facts(sum.expr(), ranges).lo >= 0) return true;
  int budget = kSearchBudget;
  if (search(sum, ranges, kSearchDepth, budget) || is_contradictory(ranges)) return true;
  // A guard on a minimum has its operands in the order in which they are written, which simplify() may exchange.
  budget = kSearchBudget;
  if (any_expr(e, is_choice) && search(to_linear(e), ranges, kSearchDepth, budget)) return true;
  const std::optional<Linear> rounded = rounded_to_quotients(sum, ranges);
  budget = kSearchBudget;
  return rounded && search(*rounded, ranges, kSearchDepth, budget);
}

}  // namespace nestwright::ir
