// Proves that two accesses are disjoint by the conditions on the paths to them: the branches among which a loop
// distributes its iterations, as tiles of two sizes do, and the two cases of one condition.
#include <algorithm>
#include <set>

#include "ir/core/scalar.h"
#include "ir/simplify/inequality.h"
#include "ir/traversal/equal.h"
#include "ir/traversal/rewrite.h"
#include "ir/verify/checks.h"

namespace nestwright::ir {
namespace {

/// One of the two accesses, in its own iteration, and what is known there.
struct Side {
  std::vector<Expr> indices;
  std::vector<Expr> facts;  ///< expressions that are at least 0
  std::vector<std::pair<Var, Interval>> variables;
  std::vector<Var> digits;  ///< the iteration as a number of mixed radix, most significant first

  void replace(const Substitution& with) {
    for (Expr& index : indices) index = substitute(index, with);
    for (Expr& fact : facts) fact = substitute(fact, with);
  }
};

/// The variables on which the access depends, and about which something is known.
std::vector<Var> variables_of(const Access& access) {
  std::vector<Var> variables;
  std::set<Var> seen;
  const auto gather = [&](const Expr& e) {
    if (!e.defined()) return;
    for_each_expr(e, [&](const Expr& inner) {
      if (const auto* ref = inner.as<VarRef>(); ref && seen.insert(ref->var).second) variables.push_back(ref->var);
    });
  };
  for (const Access::Enclosing& enclosing : access.loops) gather(enclosing.var);
  for (const Expr& index : access.indices) gather(index);
  for (const Linear& fact : access.known->facts()) gather(fact.expr());
  for (std::size_t v = 0; v < variables.size(); ++v) {  // gather() may append, mostly symbols
    const Var var = variables[v];
    gather(access.known->least(var));
    gather(access.known->greatest(var));
  }
  return variables;
}

/// The two iterations share the variables of outer loops; all others are replaced by `renamed`.
Side side_of(const Access& access, std::size_t depth, const Substitution& renamed) {
  Side side;
  side.indices = access.indices;
  const auto add_fact = [&](const Expr& fact) {  // a loaded value may differ between the two iterations
    if (!reads_memory(fact)) side.facts.push_back(fact);
  };
  const auto named = [&](const Var& var) { return substitute(var, renamed).as<VarRef>()->var; };
  for (const Var& var : variables_of(access)) {
    side.variables.emplace_back(named(var), access.known->find(var));
    if (var.type() != kIndex) continue;
    if (const Expr least = access.known->least(var); least.defined()) add_fact(Expr(var) - least);
    if (const Expr greatest = access.known->greatest(var); greatest.defined()) add_fact(greatest - var);
  }
  for (const Linear& fact : access.known->facts()) add_fact(fact.expr());
  side.replace(renamed);
  side.digits = {named(access.loops[depth].var)};
  return side;
}

/// The smallest divisor above 1 by which `var` itself is divided; 0 where there is none.
std::int64_t least_divisor(const Side& side, const Var& var) {
  std::int64_t least = 0;
  const auto update_divisor = [&](const Expr& e) {
    for_each_expr(e, [&](const Expr& inner) {
      const auto* binary = inner.as<Binary>();
      if (!binary || (binary->op != BinaryOp::kDiv && binary->op != BinaryOp::kMod)) return;
      const auto* ref = binary->a.as<VarRef>();
      const std::int64_t* divisor = as_const_int(binary->b);
      if (ref && ref->var == var && divisor && *divisor > 1 && (least == 0 || *divisor < least)) least = *divisor;
    });
  };
  for (const Expr& index : side.indices) update_divisor(index);
  for (const Expr& fact : side.facts) update_divisor(fact);
  return least;
}

Ranges intervals_of(const Side& side) {
  Ranges ranges;
  for (const auto& [var, interval] : side.variables) ranges.bind(var, interval);
  return ranges;
}

/// Splits the leading digit into its quotient and remainder by `divisor`.
void split_digit(Side& side, std::int64_t divisor) {
  const Var whole = side.digits.front();
  const auto known =
      std::find_if(side.variables.begin(), side.variables.end(), [&](const auto& v) { return v.first == whole; });
  const Interval interval = known->second;
  side.variables.erase(known);
  const Var quotient(whole.name() + ".quotient"), remainder(whole.name() + ".remainder");
  side.variables.emplace_back(quotient, div(interval, {divisor, divisor}));
  side.variables.emplace_back(remainder, Interval{0, divisor - 1});
  side.digits.front() = remainder;
  side.digits.insert(side.digits.begin(), quotient);
  const Expr sum = Expr(quotient) * divisor + remainder;
  side.replace({{whole, sum}});
  const Ranges ranges = intervals_of(side);
  for (Expr& index : side.indices) index = simplify(index, ranges);
  for (Expr& fact : side.facts) fact = simplify(fact, ranges);
  if (interval.lo != Interval::kMin) side.facts.push_back(sum - interval.lo);
  if (interval.hi != Interval::kMax) side.facts.push_back(interval.hi - sum);
}

/// Whether iterations are impossible or touch different elements if they agree in the first `agreeing` digits and the
/// next digit of `first` is the smaller one (`before`) or the greater one (otherwise).
bool apart_at_digit(const Side& first, Side second, std::size_t agreeing, bool before) {
  Substitution same;
  for (std::size_t d = 0; d < agreeing; ++d) same.emplace(second.digits[d], first.digits[d]);
  second.replace(same);
  Ranges known;
  for (const Side* side : {&first, static_cast<const Side*>(&second)}) {
    for (const auto& [var, interval] : side->variables) {
      const auto agreed = same.find(var);
      const Var& merged = agreed == same.end() ? var : agreed->second.as<VarRef>()->var;
      const Interval so_far = known.find(merged);
      const Interval both{std::max(so_far.lo, interval.lo), std::min(so_far.hi, interval.hi)};
      if (both.lo > both.hi) return true;
      known.bind(merged, both);
    }
  }
  const Expr a = first.digits[agreeing], b = second.digits[agreeing];
  std::vector<Expr> facts = first.facts;
  facts.insert(facts.end(), second.facts.begin(), second.facts.end());
  facts.push_back(before ? b - a - 1 : a - b - 1);
  // A fact narrows intervals that other facts depend on, so that all are assumed repeatedly.
  for (int round = 0; round < 2; ++round) {
    for (const Expr& fact : facts) {
      const Expr simple = simplify(fact, known);
      if (bounds(simple, known).hi < 0) return true;
      known.assume(simple >= 0);
    }
  }
  for (std::size_t d = 0; d < first.indices.size(); ++d) {
    if (reads_memory(first.indices[d]) || reads_memory(second.indices[d])) continue;
    if (first.indices[d].type() != kIndex || second.indices[d].type() != kIndex) continue;
    const Expr difference = first.indices[d] - second.indices[d];
    if (non_negative(difference - 1, known) || non_negative(-1 - difference, known)) return true;
  }
  return false;
}

}  // namespace

bool are_disjoint_by_paths(const Access& first, const Access& second, std::size_t depth) {
  if (first.loops[depth].var.type() != kIndex) return false;
  Substitution renamed;
  const auto rename = [&](const Var& var) { renamed.emplace(var, Expr(Var(var.name() + "'", var.type()))); };
  for (std::size_t l = depth; l < second.loops.size(); ++l) rename(second.loops[l].var);
  if (second.lane.defined()) rename(second.lane);
  Side a = side_of(first, depth, {}), b = side_of(second, depth, renamed);
  // A fused loop is analysed as the loops from which it was fused.
  constexpr std::size_t kMaxDigits = 4;
  while (a.digits.size() < kMaxDigits) {
    const std::int64_t in_a = least_divisor(a, a.digits.front()), in_b = least_divisor(b, b.digits.front());
    if (in_a == 0 && in_b == 0) break;
    const std::int64_t divisor = in_a == 0 ? in_b : in_b == 0 ? in_a : std::min(in_a, in_b);
    split_digit(a, divisor);
    split_digit(b, divisor);
  }
  for (std::size_t agreeing = 0; agreeing < a.digits.size(); ++agreeing) {
    if (!apart_at_digit(a, b, agreeing, true) || !apart_at_digit(a, b, agreeing, false)) return false;
  }
  return true;
}

}  // namespace nestwright::ir
