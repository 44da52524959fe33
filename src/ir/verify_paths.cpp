// Tells two accesses apart by the conditions on the paths to them: the branches of a loop whose iterations are split
// among them, as tiles of two sizes are, and the arms of one condition.
#include <set>

#include "ir/inequality.h"
#include "ir/rewrite.h"
#include "ir/verify_checks.h"

namespace nestwright::ir {
namespace {

/// What an element holds may differ between the two iterations, so that nothing is concluded from it.
bool loads(const Expr& e) {
  bool found = false;
  for_each_expr(e, [&](const Expr& inner) { found |= inner.as<Load>() != nullptr; });
  return found;
}

/// What is known where two accesses happen, each in an iteration of its own: variables of loops further out are shared,
/// all others of the second access get names of their own.
class TwoIterations {
 public:
  TwoIterations(const Access& first, const Access& second, std::size_t depth) {
    for (std::size_t l = depth; l < second.loops.size(); ++l) rename(second.loops[l].var);
    if (second.lane.defined()) rename(second.lane);
    loop_first_ = first.loops[depth].var;
    loop_second_ = of_second(second.loops[depth].var);
    // All intervals before the first fact: binding a variable forgets what is known of it.
    const std::vector<Var> in_first = variables_of(first), in_second = variables_of(second);
    for (const Var& var : in_first) bind(var, first.known->find(var));
    for (const Var& var : in_second) bind(of_second(var).as<VarRef>()->var, second.known->find(var));
    learn(first, in_first, false);
    learn(second, in_second, true);
  }

  /// Whether no such two iterations exist.
  bool impossible() const { return impossible_; }
  Expr of_second(const Expr& e) const { return substitute(e, renamed_); }

  /// What holds where the first access's iteration comes `before` the second's, or after it.
  Ranges ordered(bool before) const {
    Ranges result = known_;
    result.assume(before ? Expr(loop_first_) + 1 <= loop_second_ : loop_second_ + 1 <= Expr(loop_first_));
    return result;
  }

 private:
  void rename(const Var& var) { renamed_.emplace(var, Expr(Var(var.name() + "'", var.type()))); }

  /// Those that the access depends on and that something is known of.
  static std::vector<Var> variables_of(const Access& access) {
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
    for (std::size_t v = 0; v < variables.size(); ++v) {  // which may append, symbols above all
      const Var var = variables[v];
      gather(access.known->least(var));
      gather(access.known->greatest(var));
    }
    return variables;
  }

  void bind(const Var& var, Interval interval) {
    const Interval so_far = known_.find(var);
    const Interval both{std::max(so_far.lo, interval.lo), std::min(so_far.hi, interval.hi)};
    if (both.lo > both.hi) {
      impossible_ = true;
    } else {
      known_.bind(var, both);
    }
  }

  void learn(const Access& access, const std::vector<Var>& variables, bool second) {
    const auto at_least_0 = [&](const Expr& e) {
      if (!loads(e)) assume(second ? of_second(e) : e);
    };
    for (const Var& var : variables) {
      if (var.type() != kIndex) continue;
      if (const Expr least = access.known->least(var); least.defined()) at_least_0(Expr(var) - least);
      if (const Expr greatest = access.known->greatest(var); greatest.defined()) at_least_0(greatest - var);
    }
    for (const Linear& fact : access.known->facts()) at_least_0(fact.expr());
  }

  void assume(const Expr& at_least_0) {
    if (non_negative(-1 - at_least_0, known_)) {
      impossible_ = true;
    } else {
      known_.assume(at_least_0 >= 0);
    }
  }

  Substitution renamed_;
  Var loop_first_;
  Expr loop_second_;
  Ranges known_;
  bool impossible_ = false;
};

}  // namespace

bool never_meet(const Access& first, const Access& second, std::size_t depth) {
  const TwoIterations both(first, second, depth);
  if (both.impossible()) return true;
  const auto apart = [&](const Ranges& known) {
    for (std::size_t d = 0; d < first.indices.size(); ++d) {
      if (loads(first.indices[d]) || loads(second.indices[d])) continue;
      if (first.indices[d].type() != kIndex || second.indices[d].type() != kIndex) continue;
      const Expr difference = first.indices[d] - both.of_second(second.indices[d]);
      if (non_negative(difference - 1, known) || non_negative(-1 - difference, known)) return true;
    }
    return false;
  };
  return apart(both.ordered(true)) && apart(both.ordered(false));
}

}  // namespace nestwright::ir
