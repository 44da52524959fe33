#include "reference/hoist_indices.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ir/traversal/equal.h"
#include "ir/traversal/rewrite.h"

namespace nestwright {
namespace {

using namespace ir;

/// Replaces the integers that depend on the lists and the variable of one loop alone by variables.
class IndexBinder final : public Mutator {
 public:
  IndexBinder(const Program& program, const For& loop) : program_(program), loop_(loop) {}

  Stmt run() {
    Stmt body = mutate(loop_.body);
    for (auto bound = bound_.rbegin(); bound != bound_.rend(); ++bound) {
      body = make_let(bound->first, bound->second, std::move(body));
    }
    return make_for(loop_.var, loop_.min, loop_.extent, loop_.kind, std::move(body));
  }

 private:
  using Mutator::mutate;
  Expr mutate(const Expr& e) override {
    if (!e.defined() || !e.type().is_int() || e.lanes() != 1 || !reads_data(e) || !is_of_iteration(e)) {
      return mutate_children(e);
    }
    for (const auto& [var, value] : bound_) {
      if (equal(value, e)) return var;
    }
    bound_.emplace_back(Var("index" + std::to_string(bound_.size()), e.type()), e);
    return bound_.back().first;
  }

  /// Whether `e` is computed from the loop's variable and elements of its lists.
  bool is_of_iteration(const Expr& e) const {
    return !any_expr(e, [&](const Expr& part) -> bool {
      if (const auto* const load = part.as<Load>()) return !is_of_list(*load);
      if (const auto* const ref = part.as<VarRef>()) return ref->var != loop_.var;
      return part.as<CallExtern>() != nullptr;
    });
  }

  bool is_of_list(const Load& load) const {
    if (load.indices.size() != 1) return false;
    const Expr& extent = load.buffer->shape[0];
    const bool is_only_element = is_const_int(load.indices[0], 0) && is_const_int(extent, 1);
    const bool is_element_of_iteration =
        is_var(load.indices[0], loop_.var) && is_const_int(loop_.min, 0) && equal(extent, loop_.extent);
    if (!is_only_element && !is_element_of_iteration) return false;
    return std::any_of(program_.parameters.begin(), program_.parameters.end(), [&](const Parameter& parameter) {
      return parameter.role == Role::kInput && parameter.buffer == load.buffer;
    });
  }

  const Program& program_;
  const For& loop_;
  std::vector<std::pair<Var, Expr>> bound_;
};

class OutermostLoops final : public Mutator {
 public:
  explicit OutermostLoops(const Program& program) : program_(program) {}
  using Mutator::mutate;
  Stmt mutate(const Stmt& s) override {
    const auto* const loop = s.defined() ? s.as<For>() : nullptr;
    return loop != nullptr ? IndexBinder(program_, *loop).run() : mutate_children(s);
  }

 private:
  const Program& program_;
};

}  // namespace

Program hoist_indices(Program program) {
  OutermostLoops loops(program);
  program.host = loops.mutate(program.host);
  for (Kernel& kernel : program.kernels) kernel.body = loops.mutate(kernel.body);
  return program;
}

}  // namespace nestwright
