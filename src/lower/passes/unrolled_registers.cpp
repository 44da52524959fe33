#include <fmt/format.h>

#include <set>

#include "ir/traversal/rewrite.h"
#include "lower/passes.h"
#include "lower/support/unroll_limit.h"
#include "nestwright/error.h"
#include "nestwright/program.h"

namespace nestwright::passes {
namespace {

using namespace ir;

class RegisterCheck final : public Visitor {
 public:
  using Visitor::visit;
  void visit(const Stmt& s) override {
    if (!s.defined()) return;
    if (const auto* loop = s.as<For>(); loop != nullptr && loop->kind == LoopKind::kUnrolled)
      unrolled_.insert(loop->var);
    if (const auto* store = s.as<Store>()) check(store->buffer, store->indices);
    visit_children(s);
  }
  void visit(const Expr& e) override {
    if (!e.defined()) return;
    if (const auto* load = e.as<Load>()) check(load->buffer, load->indices);
    visit_children(e);
  }

 private:
  void check(const Buffer& buffer, const std::vector<Expr>& indices) const {
    if (buffer->scope != Scope::kRegister) return;
    for (const Expr& index : indices) {
      for_each_expr(index, [&](const Expr& part) {
        const auto* ref = part.as<VarRef>();
        if (part.as<Load>() == nullptr && (ref == nullptr || unrolled_.contains(ref->var))) return;
        throw LowerError(
            fmt::format("register buffer {} is indexed by {}, which is not constant once loops are unrolled: unroll "
                        "the loops over it, or keep it in local scope",
                        buffer->name, to_string(index)));
      });
    }
  }

  std::set<Var> unrolled_;
};

}  // namespace

Program unrolled_registers(Program program, PassContext&) {
  for (const Kernel& kernel : program.kernels) {
    limit_unrolling(kernel.body);
    RegisterCheck().visit(kernel.body);
  }
  return program;
}

}  // namespace nestwright::passes
