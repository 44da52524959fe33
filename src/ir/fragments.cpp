#include "ir/fragments.h"

#include <algorithm>
#include <set>

#include "ir/rewrite.h"
#include "ir/verify_checks.h"

namespace nestwright::ir {
namespace {

bool is_fragment(const Buffer& buffer) { return buffer->scope == Scope::kFragment; }

class Checker final : public Visitor {
 public:
  using Visitor::visit;

  void visit(const Stmt& s) override {
    if (!s.defined()) return;
    if (const auto* loop = s.as<For>()) return visit_loop(*loop);
    if (const auto* let = s.as<Let>()) return visit_let(*let);
    if (const auto* choice = s.as<IfThenElse>()) return visit_branch(*choice);
    if (const auto* store = s.as<Store>(); store != nullptr && is_fragment(store->buffer)) check_store(*store, s);
    if (const auto* allocation = s.as<Allocate>(); allocation != nullptr && is_fragment(allocation->buffer)) {
      if (!has_x_ || !has_y_) {
        report("fragment buffer " + allocation->buffer->name +
               " is allocated where there is no warp: bind a loop of 8 to threadIdx.y and one of 4 to threadIdx.x "
               "around it");
      }
    }
    visit_children(s);
  }

  std::vector<std::string> violations;

 private:
  void report(std::string what) { violations.push_back(std::move(what)); }

  void visit_loop(const For& loop) {
    const bool is_x = loop.kind == LoopKind::kThreadX, is_y = loop.kind == LoopKind::kThreadY;
    const bool differs_itself = is_x || is_y || differs(loop.min) || differs(loop.extent);
    const bool x = has_x_, y = has_y_;
    has_x_ = has_x_ || (is_x && is_const_int(loop.extent, kWarpX));
    has_y_ = has_y_ || (is_y && is_const_int(loop.extent, kWarpY));
    if (differs_itself) differ_.insert(loop.var);
    const int outside = branches_;
    if (differs_itself && !is_x && !is_y) ++branches_;
    visit(loop.body);
    branches_ = outside;
    has_x_ = x;
    has_y_ = y;
  }

  void visit_let(const Let& let) {
    if (differs(let.value)) differ_.insert(let.var);
    visit(let.body);
  }

  void visit_branch(const IfThenElse& choice) {
    const int outside = branches_;
    branches_ += differs(choice.condition) ? 1 : 0;
    visit(choice.then_case);
    visit(choice.else_case);
    branches_ = outside;
  }

  /// Between the threads of a warp. What a thread keeps for itself may.
  bool differs(const Expr& e) const {
    bool found = false;
    if (!e.defined()) return found;
    for_each_expr(e, [&](const Expr& part) {
      if (const auto* ref = part.as<VarRef>()) found = found || differ_.contains(ref->var);
      if (const auto* load = part.as<Load>()) {
        found = found || load->buffer->scope == Scope::kLocal || load->buffer->scope == Scope::kRegister;
      }
    });
    return found;
  }

  void check_store(const Store& store, const Stmt& s) {
    const bool place =
        std::any_of(store.indices.begin(), store.indices.end(), [&](const Expr& e) { return differs(e); });
    if (!place && !differs(store.value) && !differs(store.mask) && branches_ == 0) return;
    report("fragment buffer " + store.buffer->name + " is stored to in " + quote(s) +
           ", which differs between the threads of a warp: compute it for all of them, outside of what depends on "
           "threadIdx.x and threadIdx.y");
  }

  bool has_x_ = false, has_y_ = false;
  int branches_ = 0;  ///< around this point, which not all threads of a warp take together
  std::set<Var> differ_;
};

}  // namespace

std::vector<std::string> check_fragments(const Program& program) {
  Checker checker;
  for (const Kernel& kernel : program.kernels) checker.visit(kernel.body);
  return std::move(checker.violations);
}

}  // namespace nestwright::ir
