#include "reference/hoist_invariants.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ir/traversal/equal.h"
#include "ir/traversal/rewrite.h"

namespace nestwright {
namespace {

using namespace ir;

class InvariantBinder final : public Mutator {
 public:
  using Mutator::mutate;

  Stmt mutate(const Stmt& s) override {
    if (!s.defined()) return s;
    if (const auto* const loop = s.as<For>()) {
      const Expr min = mutate(loop->min), extent = mutate(loop->extent);
      const auto own = static_cast<std::ptrdiff_t>(scopes_.size());
      const std::ptrdiff_t outer = std::exchange(innermost_, own);
      Stmt body = in_scope(loop->var, loop->body);
      innermost_ = outer;
      return make_for(loop->var, min, extent, loop->kind, std::move(body));
    }
    if (const auto* const let = s.as<Let>()) {
      const Expr value = mutate(let->value);
      return make_let(let->var, value, in_scope(let->var, let->body));
    }
    return mutate_children(s);
  }

  Expr mutate(const Expr& e) override {
    if (!is_movable(e)) return mutate_children(e);
    const std::ptrdiff_t scope = scope_of(e);
    if (scope < 0 || scope >= innermost_) return mutate_children(e);
    return bind(e, scope);
  }

 private:
  /// The body of a loop or let, at whose head others are bound.
  struct Scope {
    Var var;
    std::vector<std::pair<Var, Expr>> bound = {};
  };

  static bool is_movable(const Expr& e) {
    if (!e.defined() || !(e.type().is_int() || e.type().is_bool()) || e.lanes() != 1) return false;
    if (e.as<VarRef>() != nullptr || reads_data(e)) return false;
    return !any_expr(e, [](const Expr& part) {
      const auto* const binary = part.as<Binary>();
      const bool divides = binary != nullptr && (binary->op == BinaryOp::kDiv || binary->op == BinaryOp::kMod);
      return divides && !as_const_int(binary->b);
    });
  }

  /// The number of the innermost scope whose variable `e` reads; -1 if it reads none of them.
  std::ptrdiff_t scope_of(const Expr& e) const {
    for (auto scope = static_cast<std::ptrdiff_t>(scopes_.size()) - 1; scope >= 0; --scope) {
      if (mentions(e, scopes_[static_cast<std::size_t>(scope)].var)) return scope;
    }
    return -1;
  }

  Expr bind(const Expr& e, std::ptrdiff_t scope) {
    const std::ptrdiff_t innermost = std::exchange(innermost_, scope);
    const Expr value = mutate_children(e);
    innermost_ = innermost;
    std::vector<std::pair<Var, Expr>>& bound = scopes_[static_cast<std::size_t>(scope)].bound;
    const auto known =
        std::find_if(bound.begin(), bound.end(), [&](const auto& one) { return equal(one.second, value); });
    if (known != bound.end()) return known->first;
    bound.emplace_back(Var("invariant" + std::to_string(count_++), e.type()), value);
    return bound.back().first;
  }

  /// The body of a loop or let, with lets of what is bound in it.
  Stmt in_scope(const Var& var, const Stmt& s) {
    scopes_.push_back({var});
    Stmt body = mutate(s);
    const std::vector<std::pair<Var, Expr>> bound = std::move(scopes_.back().bound);
    scopes_.pop_back();
    for (auto let = bound.rbegin(); let != bound.rend(); ++let) {
      body = make_let(let->first, let->second, std::move(body));
    }
    return body;
  }

  std::vector<Scope> scopes_;      ///< from the outermost
  std::ptrdiff_t innermost_ = -1;  ///< the scope below which values are bound: that of the innermost loop
  int count_ = 0;
};

}  // namespace

Program hoist_invariants(Program program) {
  InvariantBinder binder;
  program.host = binder.mutate(program.host);
  for (Kernel& kernel : program.kernels) kernel.body = binder.mutate(kernel.body);
  return program;
}

}  // namespace nestwright
