#include "ir/rewrite.h"

namespace nestwright::ir {
namespace {

// Maps `in`; `out` is filled from the first changed element on, and stays empty (false) where nothing changed.
template <class F>
bool map_list(const std::vector<Expr>& in, std::vector<Expr>& out, F&& f) {
  for (std::size_t i = 0; i < in.size(); ++i) {
    Expr mapped = f(in[i]);
    if (out.empty()) {
      if (mapped.same_as(in[i])) continue;
      out.reserve(in.size());
      out.assign(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(i));
    }
    out.push_back(std::move(mapped));
  }
  return !out.empty();
}

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

void call_each(const Stmt& s, const std::function<void(const Stmt&)>& f) {
  if (!s.defined()) return;
  f(s);
  std::visit(overloaded{[&](const For& n) { call_each(n.body, f); },
                        [&](const Block& n) {
                          for (const Stmt& child : n.stmts) call_each(child, f);
                        },
                        [&](const Let& n) { call_each(n.body, f); },
                        [&](const IfThenElse& n) {
                          call_each(n.then_case, f);
                          call_each(n.else_case, f);
                        },
                        [&](const Allocate& n) { call_each(n.body, f); }, [](const Store&) {}, [](const Prefetch&) {},
                        [](const CommitCopies&) {}, [](const Barrier&) {}, [](const Launch&) {}},
             s.node().value);
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
  std::visit(overloaded{[](const IntImm&) {}, [](const FloatImm&) {}, [](const VarRef&) {},
                        [&](const Binary& n) {
                          visit(n.a);
                          visit(n.b);
                        },
                        [&](const Not& n) { visit(n.a); },
                        [&](const Select& n) {
                          visit(n.condition);
                          visit(n.if_true);
                          visit(n.if_false);
                        },
                        [&](const Cast& n) { visit(n.value); },
                        [&](const Load& n) {
                          for (const Expr& index : n.indices) visit(index);
                          if (n.mask.defined()) visit(n.mask);
                        },
                        [&](const Ramp& n) {
                          visit(n.base);
                          visit(n.stride);
                        },
                        [&](const Broadcast& n) { visit(n.value); },
                        [&](const Call& n) {
                          for (const Expr& arg : n.args) visit(arg);
                        },
                        [&](const Reduce& n) {
                          for (const ReduceAxis& axis : n.axes) {
                            visit(axis.min);
                            visit(axis.extent);
                          }
                          for (const Expr& value : n.values) visit(value);
                        }},
             e.node().value);
}

void Visitor::visit_children(const Stmt& s) {
  if (!s.defined()) return;
  std::visit(overloaded{[&](const For& n) {
                          visit(n.min);
                          visit(n.extent);
                          visit(n.body);
                        },
                        [&](const Block& n) {
                          for (const Stmt& child : n.stmts) visit(child);
                        },
                        [&](const Let& n) {
                          visit(n.value);
                          visit(n.body);
                        },
                        [&](const IfThenElse& n) {
                          visit(n.condition);
                          visit(n.then_case);
                          if (n.else_case.defined()) visit(n.else_case);
                        },
                        [&](const Store& n) {
                          for (const Expr& index : n.indices) visit(index);
                          visit(n.value);
                          if (n.mask.defined()) visit(n.mask);
                        },
                        [&](const Allocate& n) { visit(n.body); },
                        [&](const Prefetch& n) {
                          for (const Expr& index : n.indices) visit(index);
                        },
                        [](const CommitCopies&) {}, [](const Barrier&) {}, [](const Launch&) {}},
             s.node().value);
}

Expr Mutator::mutate_children(const Expr& e) {
  if (!e.defined()) return e;
  const auto each = [&](const Expr& child) { return mutate(child); };
  return std::visit(
      overloaded{[&](const IntImm&) { return e; }, [&](const FloatImm&) { return e; }, [&](const VarRef&) { return e; },
                 [&](const Binary& n) {
                   Expr a = mutate(n.a), b = mutate(n.b);
                   return a.same_as(n.a) && b.same_as(n.b) ? e : make_binary(n.op, std::move(a), std::move(b));
                 },
                 [&](const Not& n) {
                   Expr a = mutate(n.a);
                   return a.same_as(n.a) ? e : make_not(std::move(a));
                 },
                 [&](const Select& n) {
                   Expr condition = mutate(n.condition), if_true = mutate(n.if_true), if_false = mutate(n.if_false);
                   if (condition.same_as(n.condition) && if_true.same_as(n.if_true) && if_false.same_as(n.if_false))
                     return e;
                   return make_select(std::move(condition), std::move(if_true), std::move(if_false));
                 },
                 [&](const Cast& n) {
                   Expr value = mutate(n.value);
                   const Type type = e.type().with_lanes(value.lanes());
                   return value.same_as(n.value) ? e : make_cast(type, std::move(value));
                 },
                 [&](const Load& n) {
                   std::vector<Expr> indices;
                   const bool moved = map_list(n.indices, indices, each);
                   Expr mask = n.mask.defined() ? mutate(n.mask) : n.mask;
                   if (!moved && mask.same_as(n.mask)) return e;
                   return make_load(n.buffer, moved ? indices : n.indices, std::move(mask));
                 },
                 [&](const Ramp& n) {
                   Expr base = mutate(n.base), stride = mutate(n.stride);
                   if (base.same_as(n.base) && stride.same_as(n.stride)) return e;
                   return make_ramp(std::move(base), std::move(stride), e.lanes());
                 },
                 [&](const Broadcast& n) {
                   Expr value = mutate(n.value);
                   return value.same_as(n.value) ? e : make_broadcast(std::move(value), e.lanes());
                 },
                 [&](const Call& n) {
                   std::vector<Expr> args;
                   if (!map_list(n.args, args, each)) return e;
                   const Type type = e.type().with_lanes(args.front().lanes());
                   return make_call(n.intrinsic, std::move(args), type);
                 },
                 [&](const Reduce& n) {
                   bool changed = false;
                   std::vector<ReduceAxis> axes;
                   for (const ReduceAxis& axis : n.axes) {
                     axes.push_back({axis.var, mutate(axis.min), mutate(axis.extent)});
                     changed |= !axes.back().min.same_as(axis.min) || !axes.back().extent.same_as(axis.extent);
                   }
                   std::vector<Expr> values;
                   if (!map_list(n.values, values, each)) {
                     if (!changed) return e;
                     values = n.values;
                   }
                   return make_reduce({n.reducer, std::move(values), std::move(axes), n.combiner, n.result});
                 }},
      e.node().value);
}

Stmt Mutator::mutate_children(const Stmt& s) {
  if (!s.defined()) return s;
  const auto each = [&](const Expr& child) { return mutate(child); };
  return std::visit(
      overloaded{
          [&](const For& n) {
            Expr min = mutate(n.min), extent = mutate(n.extent);
            Stmt body = mutate(n.body);
            if (min.same_as(n.min) && extent.same_as(n.extent) && body.same_as(n.body)) return s;
            return make_for(n.var, std::move(min), std::move(extent), n.kind, std::move(body));
          },
          [&](const Block& n) {
            std::vector<Stmt> stmts;
            stmts.reserve(n.stmts.size());
            bool changed = false;
            for (const Stmt& child : n.stmts) {
              stmts.push_back(mutate(child));
              changed |= !stmts.back().same_as(child);
            }
            return changed ? block(std::move(stmts)) : s;
          },
          [&](const Let& n) {
            Expr value = mutate(n.value);
            Stmt body = mutate(n.body);
            if (value.same_as(n.value) && body.same_as(n.body)) return s;
            return make_let(n.var, std::move(value), std::move(body));
          },
          [&](const IfThenElse& n) {
            Expr condition = mutate(n.condition);
            Stmt then_case = mutate(n.then_case);
            Stmt else_case = n.else_case.defined() ? mutate(n.else_case) : n.else_case;
            if (condition.same_as(n.condition) && then_case.same_as(n.then_case) && else_case.same_as(n.else_case)) {
              return s;
            }
            return make_if(std::move(condition), std::move(then_case), std::move(else_case));
          },
          [&](const Store& n) {
            std::vector<Expr> indices;
            const bool moved = map_list(n.indices, indices, each);
            Expr value = mutate(n.value);
            Expr mask = n.mask.defined() ? mutate(n.mask) : n.mask;
            if (!moved && value.same_as(n.value) && mask.same_as(n.mask)) return s;
            return make_store(n.buffer, moved ? indices : n.indices, std::move(value), std::move(mask), n.streams);
          },
          [&](const Allocate& n) {
            Stmt body = mutate(n.body);
            if (body.same_as(n.body)) return s;
            return with_body(n, n.buffer, std::move(body));
          },
          [&](const Prefetch& n) {
            std::vector<Expr> indices;
            if (!map_list(n.indices, indices, each)) return s;
            return make_prefetch(n.buffer, std::move(indices), n.for_write, n.locality);
          },
          [&](const CommitCopies&) { return s; }, [&](const Barrier&) { return s; }, [&](const Launch&) { return s; }},
      s.node().value);
}

void for_each_expr(const Expr& e, const std::function<void(const Expr&)>& on_expr) { ExprCaller(on_expr).visit(e); }
void for_each_expr(const Stmt& s, const std::function<void(const Expr&)>& on_expr) { ExprCaller(on_expr).visit(s); }

bool mentions(const Expr& e, const Var& var) {
  bool found = false;
  for_each_expr(e, [&](const Expr& part) {
    const auto* ref = part.as<VarRef>();
    found = found || (ref != nullptr && ref->var == var);
  });
  return found;
}
void for_each_stmt(const Stmt& s, const std::function<void(const Stmt&)>& on_stmt) { call_each(s, on_stmt); }

Expr substitute(const Expr& e, const Substitution& with) {
  return with.empty() || !e.defined() ? e : Substituter(with).mutate(e);
}
Stmt substitute(const Stmt& s, const Substitution& with) { return with.empty() ? s : Substituter(with).mutate(s); }

}  // namespace nestwright::ir
