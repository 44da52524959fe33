#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "ir/analysis/interval.h"
#include "ir/core/scalar.h"
#include "ir/traversal/equal.h"
#include "ir/traversal/quote.h"
#include "ir/traversal/rewrite.h"
#include "ir/verify/checks.h"

namespace nestwright::ir {
namespace {

/// The largest range of a loop's variable whose values are enumerated.
constexpr std::int64_t kMaxEnumerated = 1 << 16;

bool is_concurrent(LoopKind kind) { return kind != LoopKind::kSerial && kind != LoopKind::kUnrolled; }

/// An index as a sum of three parts with respect to a loop: a function of its variable, what is invariant in the loop,
/// and what varies within an iteration.
struct SplitIndex {
  Linear of_loop;
  Linear fixed;
  std::int64_t step = 0;  ///< divides the function of the variable; 0 where there is none
  Interval of_loop_range;
  Interval varying;
  bool varies = false;
  // What varies within an iteration, if the index is a mixed-radix number of which the loop's part is one digit: the
  // terms below the loop's step, and those above it.
  Interval lower{0, 0};
  std::int64_t upper_step = 0;  ///< divides the terms above; 0 where there are none
};

struct SplitAccess {
  const Access* access;
  std::vector<SplitIndex> indices;
  Interval loop_range;  ///< of the loop's variable at the access, narrowed by guards
};

Interval minus(Interval a, Interval b) { return add(a, scale(b, -1)); }
Interval range(const Linear& sum, const Ranges& ranges) {
  return sum.is_constant() ? Interval{sum.constant, sum.constant} : bounds(sum.expr(), ranges);
}
bool same_terms(const Linear& a, const Linear& b) { return Linear(a).add(b, -1).is_constant(); }

struct VariableUses {
  bool loop = false;   ///< of the loop's variable
  bool inner = false;  ///< of one that varies within an iteration
};

/// Returns what an atom of an access's index uses, with respect to one of the loops around the access.
VariableUses uses_in(const Expr& atom, const Access& access, std::size_t loop) {
  VariableUses uses;
  for_each_expr(atom, [&](const Expr& e) {
    if (e.as<Load>()) uses.inner = true;  // its value may differ at every load
    const auto* ref = e.as<VarRef>();
    if (ref == nullptr) return;
    uses.loop = uses.loop || ref->var == access.loops[loop].var;
    uses.inner = uses.inner || ref->var == access.lane;
    for (std::size_t l = loop + 1; l < access.loops.size(); ++l) {
      const bool in_step = access.loops[l].in_step && is_thread_index(access.loops[loop].loop->kind);
      uses.inner |= !in_step && access.loops[l].var == ref->var;
    }
  });
  return uses;
}

SplitAccess split(const Access& access, std::size_t loop) {
  const Var& var = access.loops[loop].var;
  SplitAccess result{&access, {}, access.known->find(var)};
  for (const Expr& index : access.indices) {
    const Linear whole = to_linear(simplify(index, *access.known));
    SplitIndex parts;
    Linear varying;
    parts.fixed.constant = whole.constant;
    for (const LinearTerm& term : whole.terms) {
      const VariableUses uses = uses_in(term.atom, access, loop);
      (uses.inner ? varying : uses.loop ? parts.of_loop : parts.fixed).terms.push_back(term);
    }
    parts.of_loop_range = range(parts.of_loop, *access.known);
    parts.varying = range(varying, *access.known);
    parts.varies = !varying.terms.empty();
    for (const LinearTerm& term : parts.of_loop.terms) parts.step = std::gcd(parts.step, term.coefficient);
    Linear lower;
    for (const LinearTerm& term : varying.terms) {
      const bool is_lower = std::abs(term.coefficient) < parts.step;
      if (is_lower) lower.terms.push_back(term);
      if (!is_lower) parts.upper_step = std::gcd(parts.upper_step, term.coefficient);
    }
    parts.lower = range(lower, *access.known);
    result.indices.push_back(std::move(parts));
  }
  return result;
}

/// The value of an integer expression of `var` alone; absent for any other expression.
std::optional<std::int64_t> evaluate(const Expr& e, const Var& var, std::int64_t value) {
  if (const std::int64_t* constant = as_const_int(e)) return *constant;
  if (const auto* ref = e.as<VarRef>()) return ref->var == var ? std::optional(value) : std::nullopt;
  const auto* binary = e.as<Binary>();
  if (!binary || e.type() != kIndex) return std::nullopt;
  const auto a = evaluate(binary->a, var, value), b = evaluate(binary->b, var, value);
  const bool divides = binary->op == BinaryOp::kDiv || binary->op == BinaryOp::kMod;
  if (!a || !b || (divides && *b == 0)) return std::nullopt;
  return apply_binary(binary->op, kIndex, integer_scalar(*a), integer_scalar(*b)).i;
}

/// True only where `functions` together are injective in `var` on `range`.
bool are_injective(const std::vector<Linear>& functions, const Var& var, Interval range) {
  std::vector<Expr> known;
  for (const Linear& function : functions)
    if (function.terms.size() == 1) known.push_back(function.terms.front().atom);
  add_dividends(known, known);
  for (const Expr& e : known)
    if (const Linear whole = to_linear(e); whole.coefficient(var) != 0 && !whole.is_nonlinear_in(var)) return true;
  // Otherwise by enumeration.
  if (functions.empty() || !range.bounded() || range.hi - range.lo >= kMaxEnumerated) return false;
  std::set<std::vector<std::int64_t>> seen;
  for (std::int64_t value = range.lo; value <= range.hi; ++value) {
    std::vector<std::int64_t> image;
    for (const Linear& function : functions) {
      const auto result = evaluate(function.expr(), var, value);
      if (!result) return false;
      image.push_back(*result);
    }
    if (!seen.insert(std::move(image)).second) return false;
  }
  return true;
}

/// Whether the loop's parts of both indices are the same digit of one number where the indices are equal: the terms
/// below vary by less than a step of it, and both together by less than a step of the terms above.
bool is_digit(const SplitIndex& f, const SplitIndex& s) {
  const Linear fixed = Linear(s.fixed).add(f.fixed, -1);
  const std::int64_t above = std::gcd(f.upper_step, s.upper_step);
  const Interval below = minus(s.lower, f.lower), apart = minus(f.of_loop_range, s.of_loop_range);
  if (!fixed.is_constant() || fixed.constant != 0 || above == 0 || !below.bounded() || !apart.bounded()) return false;
  const Interval together = minus(apart, below);
  return below.lo > -f.step && below.hi < f.step && together.lo > -above && together.hi < above;
}

/// True only where the two accesses touch no common element in different iterations, by the function of the loop's
/// variable in each index.
bool apart_by_index(const SplitAccess& first, const SplitAccess& second, const Var& var) {
  const Interval a = first.loop_range, b = second.loop_range;
  if (a.is_point() && b.is_point() && a.lo == b.lo) return true;  // guards restrict both to the same iteration
  std::vector<Linear>
      equal_functions;  // functions of the loop's variable that are equal where the accesses touch a common element
  for (std::size_t d = 0; d < first.indices.size(); ++d) {
    const SplitIndex &f = first.indices[d], &s = second.indices[d];
    // The indices are equal only where of_loop(first) - of_loop(second) lies in `rest`.
    const Interval rest =
        add(range(Linear(s.fixed).add(f.fixed, -1), *first.access->known), minus(s.varying, f.varying));
    if (!same_terms(f.of_loop, s.of_loop)) {
      const Interval difference = minus(f.of_loop_range, s.of_loop_range);
      if (difference.lo > rest.hi || difference.hi < rest.lo) return true;
      continue;
    }
    if (f.of_loop.is_constant() && (rest.lo > 0 || rest.hi < 0)) return true;
    const bool nothing_varies = f.of_loop.is_constant() && !f.varies && !s.varies;
    if (nothing_varies && never_equal(f.fixed.expr(), s.fixed.expr())) return true;
    if (f.step == 0) continue;
    bool is_one_value = false;
    if (rest.bounded()) {
      const std::int64_t least = -floor_div(-rest.lo, f.step), most = floor_div(rest.hi, f.step);
      if (least > most) return true;  // no multiple of the step lies in `rest`
      is_one_value = least == 0 && most == 0;
    }
    if (is_one_value || is_digit(f, s)) equal_functions.push_back(f.of_loop);
  }
  return are_injective(equal_functions, var, {std::min(a.lo, b.lo), std::max(a.hi, b.hi)});
}

Access simple(Access access) {
  for (Expr& index : access.indices) index = simplify(index, *access.known);
  return access;
}

std::string describe(const For& loop, const Access& store, const Access& other) {
  std::string text = std::string("two iterations of the ") + loop_kind_name(loop.kind) + " loop over " +
                     loop.var.name() + " may touch one element of " + store.buffer->name + ": it is stored in " +
                     quote(*store.statement);
  if (!other.stores) return text + " and loaded in " + quote(*other.statement);
  return &store == &other ? text : text + " and in " + quote(*other.statement);
}

bool have_common(const std::set<int>& a, const std::set<int>& b) {
  return std::any_of(a.begin(), a.end(), [&](int phase) { return b.count(phase) > 0; });
}

/// Checks the accesses to one buffer that the iterations of one loop share. Reports at most one violation.
void check_shared(const For& loop, const std::vector<SplitAccess>& accesses, std::vector<std::string>& violations) {
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const Access& store = *accesses[i].access;
    if (!store.stores) continue;
    for (std::size_t j = 0; j < accesses.size(); ++j) {
      const Access& other = *accesses[j].access;
      if (other.stores && j < i) continue;
      if (is_thread_index(loop.kind) && !have_common(store.phases, other.phases)) continue;
      std::size_t depth = 0;
      while (store.loops[depth].loop != &loop) ++depth;
      const Var& var = store.loops[depth].var;
      if (apart_by_index(accesses[i], accesses[j], var)) continue;
      Access first = simple(store), second = simple(other);
      add_quotients(first, second);
      add_dividends(first.indices, second.indices);
      if (apart_by_index(split(first, depth), split(second, depth), var)) continue;
      add_numbers(first, second);
      if (apart_by_index(split(first, depth), split(second, depth), var)) continue;
      if (are_disjoint_by_paths(first, second, depth)) continue;
      violations.push_back(describe(loop, store, other));
      return;  // one report per loop and buffer is sufficient
    }
  }
}

}  // namespace

std::vector<std::string> check_races(const std::vector<Access>& accesses) {
  std::vector<std::string> violations;
  std::vector<const For*> loops;  // concurrent ones, in program order
  std::map<const For*, std::vector<Buffer>> stored;
  for (const Access& access : accesses) {
    for (std::size_t l = 0; l < access.loops.size(); ++l) {
      const For* loop = access.loops[l].loop;
      if (!is_concurrent(loop->kind) || access.private_loops > l || !access.stores) continue;
      std::vector<Buffer>& buffers = stored[loop];
      if (buffers.empty()) loops.push_back(loop);
      if (std::find(buffers.begin(), buffers.end(), access.buffer) == buffers.end()) buffers.push_back(access.buffer);
    }
  }
  for (const For* loop : loops) {
    for (const Buffer& buffer : stored[loop]) {
      std::vector<SplitAccess> shared;
      for (const Access& access : accesses) {
        if (!(access.buffer == buffer)) continue;
        for (std::size_t l = 0; l < access.loops.size(); ++l)
          if (access.loops[l].loop == loop) shared.push_back(split(access, l));
      }
      check_shared(*loop, shared, violations);
    }
  }
  return violations;
}

}  // namespace nestwright::ir
