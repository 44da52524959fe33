// Visiting and rewriting of expressions and statements. A pass derives from Mutator (or Visitor), overrides the node
// kinds that it changes and calls mutate_children for the others. Unchanged input comes back as the same handle.
// Thread rule: pure functions; a Visitor or Mutator belongs to one thread.
#pragma once

#include <functional>
#include <map>
#include <set>

#include "nestwright/program.h"

namespace nestwright::ir {

class Visitor {
 public:
  virtual ~Visitor() = default;
  virtual void visit(const Expr& e) { visit_children(e); }
  virtual void visit(const Stmt& s) { visit_children(s); }

 protected:
  void visit_children(const Expr& e);
  void visit_children(const Stmt& s);
};

class Mutator {
 public:
  virtual ~Mutator() = default;
  virtual Expr mutate(const Expr& e) { return mutate_children(e); }
  virtual Stmt mutate(const Stmt& s) { return mutate_children(s); }

 protected:
  Expr mutate_children(const Expr& e);
  Stmt mutate_children(const Stmt& s);
};

// "Below" includes the root itself; an undefined root has nothing below.

/// Calls `on_expr` for every expression below, in pre-order.
void for_each_expr(const Expr& e, const std::function<void(const Expr&)>& on_expr);
void for_each_expr(const Stmt& s, const std::function<void(const Expr&)>& on_expr);
/// Whether `holds` is true of any expression below. The search ends with the first.
bool any_expr(const Expr& e, const std::function<bool(const Expr&)>& holds);
bool any_expr(const Stmt& s, const std::function<bool(const Expr&)>& holds);
/// Whether `e` is the variable itself.
bool is_var(const Expr& e, const Var& var);
/// Whether `e` is a sum, a difference or a product of indices.
bool is_index_sum(const Expr& e);
/// Whether any expression below is a load.
bool reads_memory(const Expr& e);
/// Whether any expression below reads memory or calls a C function.
bool reads_data(const Expr& e);
/// Whether any expression below reads memory, calls a function or converts: its value may then be data, which wraps
/// around, while indices are required not to overflow.
bool depends_on_data(const Expr& e);
/// Whether `holds` is true of any statement below.
bool any_stmt(const Stmt& s, const std::function<bool(const Stmt&)>& holds);
/// The variables that are read below.
std::set<Var> variables_of(const Expr& e);
/// Whether `var` is read below.
bool mentions(const Expr& e, const Var& var);
bool mentions(const Stmt& s, const Var& var);
/// Calls `on_stmt` for every statement below, in pre-order.
void for_each_stmt(const Stmt& s, const std::function<void(const Stmt&)>& on_stmt);

/// Replaces free variables. Bound variables (For, Let) are unique by identity, so nothing is captured.
using Substitution = std::map<Var, Expr>;
Expr substitute(const Expr& e, const Substitution& with);
Stmt substitute(const Stmt& s, const Substitution& with);

}  // namespace nestwright::ir
