#include "ir/traversal/rewrite.h"

#include "ir/core/fields.h"
#include "ir/core/make_node.h"

namespace nestwright::ir {
namespace {

class ExprCaller : public Visitor {
 public:
  explicit ExprCaller(const std::function<void(const Expr&)>& f) : f_(f) {}
  using Visitor::visit;
  void visit(const Expr& e) override {
    f_(e);
    visit_children(e);
  }

 private:
  const std::function<void(const Expr&)>& f_;
};

class ExprFinder : public Visitor {
 public:
  explicit ExprFinder(const std::function<bool(const Expr&)>& holds) : holds_(holds) {}
  using Visitor::visit;
  void visit(const Expr& e) override {
    found = found || holds_(e);
    if (!found) visit_children(e);
  }
  void visit(const Stmt& s) override {
    if (!found) visit_children(s);
  }
  bool found = false;

 private:
  const std::function<bool(const Expr&)>& holds_;
};

void call_each(const Stmt& s, const std::function<void(const Stmt&)>& f) {
  if (!s.defined()) return;
  f(s);
  const auto on_child = overloaded{[](const Expr&) {}, [&](const Stmt& child) { call_each(child, f); }};
  std::visit([&](const auto& n) { for_each_child(n, on_child); }, s.node().value);
}

class Substituter : public Mutator {
 public:
  explicit Substituter(const Substitution& with) : with_(with) {}
  using Mutator::mutate;
  Expr mutate(const Expr& e) override {
    const auto* ref = e.as<VarRef>();
    if (!ref) return mutate_children(e);
    const auto found = with_.find(ref->var);
    return found == with_.end() ? e : found->second;
  }

 private:
  const Substitution& with_;
};

}  // namespace

void Visitor::visit_children(const Expr& e) {
  if (!e.defined()) return;
  const auto on_child = [&](const auto& child) { visit(child); };
  std::visit([&](const auto& n) { for_each_child(n, on_child); }, e.node().value);
}

void Visitor::visit_children(const Stmt& s) {
  if (!s.defined()) return;
  const auto on_child = [&](const auto& child) { visit(child); };
  std::visit([&](const auto& n) { for_each_child(n, on_child); }, s.node().value);
}

Expr Mutator::mutate_children(const Expr& e) {
  if (!e.defined()) return e;
  const auto on_child = [&](const auto& child) { return mutate(child); };
  const auto rewrite = [&](const auto& n) {
    auto changed = map_children(n, on_child);
    return changed ? make_node(std::move(*changed), e.type()) : e;
  };
  return std::visit(rewrite, e.node().value);
}

Stmt Mutator::mutate_children(const Stmt& s) {
  if (!s.defined()) return s;
  const auto on_child = [&](const auto& child) { return mutate(child); };
  const auto rewrite = [&](const auto& n) {
    auto changed = map_children(n, on_child);
    return changed ? make_node(std::move(*changed)) : s;
  };
  return std::visit(rewrite, s.node().value);
}

void for_each_expr(const Expr& e, const std::function<void(const Expr&)>& on_expr) { ExprCaller(on_expr).visit(e); }
void for_each_expr(const Stmt& s, const std::function<void(const Expr&)>& on_expr) { ExprCaller(on_expr).visit(s); }

bool any_expr(const Expr& e, const std::function<bool(const Expr&)>& holds) {
  ExprFinder finder(holds);
  if (e.defined()) finder.visit(e);
  return finder.found;
}
bool any_expr(const Stmt& s, const std::function<bool(const Expr&)>& holds) {
  ExprFinder finder(holds);
  finder.visit(s);
  return finder.found;
}

bool any_stmt(const Stmt& s, const std::function<bool(const Stmt&)>& holds) {
  if (!s.defined()) return false;
  bool found = holds(s);
  const auto on_child =
      overloaded{[](const Expr&) {}, [&](const Stmt& child) { found = found || any_stmt(child, holds); }};
  if (!found) std::visit([&](const auto& n) { for_each_child(n, on_child); }, s.node().value);
  return found;
}

bool is_var(const Expr& e, const Var& var) {
  const auto* ref = e.as<VarRef>();
  return ref != nullptr && ref->var == var;
}

bool is_index_sum(const Expr& e) {
  const auto* n = e.as<Binary>();
  return n && e.type() == kIndex && (n->op == BinaryOp::kAdd || n->op == BinaryOp::kSub || n->op == BinaryOp::kMul);
}

bool reads_memory(const Expr& e) {
  return any_expr(e, [](const Expr& part) { return part.as<Load>() != nullptr; });
}

bool reads_data(const Expr& e) {
  return any_expr(e, [](const Expr& part) { return part.as<Load>() || part.as<CallExtern>(); });
}

bool depends_on_data(const Expr& e) {
  return any_expr(e, [](const Expr& part) {
    return part.as<Load>() || part.as<Cast>() || part.as<Call>() || part.as<CallExtern>();
  });
}

std::set<Var> variables_of(const Expr& e) {
  std::set<Var> variables;
  for_each_expr(e, [&](const Expr& part) {
    if (const auto* ref = part.as<VarRef>()) variables.insert(ref->var);
  });
  return variables;
}

bool mentions(const Expr& e, const Var& var) {
  return any_expr(e, [&](const Expr& part) { return is_var(part, var); });
}
bool mentions(const Stmt& s, const Var& var) {
  return any_expr(s, [&](const Expr& part) { return is_var(part, var); });
}

void for_each_stmt(const Stmt& s, const std::function<void(const Stmt&)>& on_stmt) { call_each(s, on_stmt); }

Expr substitute(const Expr& e, const Substitution& with) {
  return with.empty() || !e.defined() ? e : Substituter(with).mutate(e);
}
Stmt substitute(const Stmt& s, const Substitution& with) { return with.empty() ? s : Substituter(with).mutate(s); }

}  // namespace nestwright::ir
