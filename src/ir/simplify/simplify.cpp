// The statement half of the simplifier, and the public entry points.
#include "ir/simplify/simplify.h"

#include <algorithm>

#include "ir/construction/conjunction.h"
#include "ir/simplify/expr_simplifier.h"
#include "ir/traversal/rewrite.h"

namespace nestwright::ir {
namespace {

// Whether `part` only bounds `var` by a constant.
bool is_range_of(const Expr& part, const Var& var) {
  const auto* n = without_likely(part).as<Binary>();
  if (!n || !is_comparison(n->op) || n->op == BinaryOp::kNe || n->a.type() != kIndex) return false;
  Linear sum = to_linear(n->a);
  sum.add(to_linear(n->b), -1);
  return sum.terms.size() == 1 && std::abs(sum.coefficient(var)) == 1;
}

class StmtSimplifier {
 public:
  explicit StmtSimplifier(Ranges ranges) : exprs_(std::move(ranges)) {}

  Stmt run(const Stmt& s) {
    if (!s.defined()) return s;
    return std::visit([&](const auto& n) { return run(s, n); }, s.node().value);
  }

 private:
  Stmt run(const Stmt& s, const For& n) {
    Expr min = exprs_.simplify(n.min), extent = simplify_extent(n.extent);
    const Interval trips = bounds(extent, exprs_.ranges());
    if (trips.hi <= 0) return {};
    if (trips.is_point() && !as_const_int(extent)) extent = make_int(trips.lo, extent.type());
    if (is_const_int(extent, 1) && !is_bound(n.kind)) return run_with(n.var, std::move(min), n.body);
    exprs_.ranges().bind(n.var, min, extent);
    Stmt body = run(n.body);
    if (Stmt guarded = move_guards(n, min, extent, body); guarded.defined()) return guarded;
    if (min.same_as(n.min) && extent.same_as(n.extent) && body.same_as(n.body)) return s;
    return make_for(n.var, std::move(min), std::move(extent), n.kind, std::move(body));
  }

  /// Keeps the extents of fused loops as factors: each is at least 1 inside the loop, which their product multiplied
  /// out does not show.
  Expr simplify_extent(const Expr& extent) {
    const auto* product = extent.as<Binary>();
    if (product == nullptr || product->op != BinaryOp::kMul) return exprs_.simplify(extent);
    const Expr a = simplify_extent(product->a), b = simplify_extent(product->b);
    if (as_const_int(a) != nullptr || as_const_int(b) != nullptr) return exprs_.simplify(extent);
    return a.same_as(product->a) && b.same_as(product->b) ? extent : a * b;
  }

  // for v in [lo, hi): if (invariant && v < c && rest) S   ->   if (invariant) for v in [lo, c): if (rest) S
  // Undefined where the body is not such an if. A vectorised loop keeps its length: its lanes are masked instead.
  Stmt move_guards(const For& n, const Expr& min, const Expr& extent, const Stmt& body) {
    const auto* guard = body.defined() ? body.as<IfThenElse>() : nullptr;
    if (!guard || guard->else_case.defined() || is_bound(n.kind) || !guard->condition.type().is_scalar()) return {};
    const bool may_narrow = n.kind != LoopKind::kVectorized && as_const_int(min) && as_const_int(extent);
    const Interval full = exprs_.ranges().find(n.var);
    Ranges narrowed;
    narrowed.bind(n.var, full);
    std::vector<Expr> parts, invariant, rest;
    conjuncts(guard->condition, parts);
    for (const Expr& part : parts) {
      if (!mentions(part, n.var) && !reads_memory(part)) {
        invariant.push_back(part);
      } else if (may_narrow && is_range_of(part, n.var)) {
        narrowed.assume(without_likely(part));
      } else {
        rest.push_back(part);
      }
    }
    if (rest.size() == parts.size()) return {};
    const Stmt inner = rest.empty() ? guard->then_case : make_if(conjunction(rest), guard->then_case);
    const Interval range = narrowed.find(n.var);
    Stmt loop;
    if (within(full, range)) {
      loop = make_for(n.var, min, extent, n.kind, inner);
    } else {
      const Expr from = range.lo, length = range.hi - range.lo + 1;
      const Ranges outside = exprs_.ranges();
      if (!invariant.empty()) exprs_.ranges().assume(conjunction(invariant));
      loop = run(make_for(n.var, from, length, n.kind, inner));  // the shorter loop may simplify its body further
      exprs_.ranges() = outside;
    }
    return invariant.empty() ? loop : make_if(conjunction(invariant), loop);
  }

  Stmt run_with(const Var& var, Expr value, const Stmt& body) {
    exprs_.replace(var, std::move(value));
    Stmt result = run(body);
    exprs_.end_replace();
    return result;
  }

  Stmt run(const Stmt& s, const Block& n) {
    std::vector<Stmt> stmts;
    stmts.reserve(n.stmts.size());
    bool changed = false;
    for (const Stmt& child : n.stmts) {
      stmts.push_back(run(child));
      changed |= !stmts.back().same_as(child);
    }
    return changed ? block(std::move(stmts)) : s;
  }

  Stmt run(const Stmt& s, const Let& n) {
    Expr value = exprs_.simplify(n.value);
    if (value.as<IntImm>() || value.as<FloatImm>() || value.as<VarRef>()) return run_with(n.var, value, n.body);
    if (n.var.type() == kIndex) {
      exprs_.ranges().bind(n.var, value, 1);
    } else if (!n.var.type().is_float()) {
      exprs_.ranges().bind(n.var, bounds(value, exprs_.ranges()));
    }
    Stmt body = run(n.body);
    if (!body.defined() || !mentions(body, n.var)) return body;
    if (value.same_as(n.value) && body.same_as(n.body)) return s;
    return make_let(n.var, std::move(value), std::move(body));
  }

  Stmt run(const Stmt& s, const IfThenElse& n) {
    Expr condition = exprs_.simplify(n.condition);
    if (is_true(condition)) return run(n.then_case);
    if (is_false(condition)) return run(n.else_case);
    const Ranges outside = exprs_.ranges();
    exprs_.ranges().assume(condition);
    Stmt then_case = run(n.then_case);
    exprs_.ranges() = outside;
    Stmt else_case;
    if (n.else_case.defined()) {
      exprs_.ranges().assume_not(condition);
      else_case = run(n.else_case);
      exprs_.ranges() = outside;
    }
    if (!then_case.defined() && else_case.defined()) {
      condition = exprs_.simplify(!condition);
      std::swap(then_case, else_case);
    }
    const auto* inner = then_case.defined() ? then_case.as<IfThenElse>() : nullptr;
    if (inner && !else_case.defined() && !inner->else_case.defined() && inner->condition.type() == condition.type() &&
        !reads_memory(inner->condition)) {
      // One conjunction lets enclosing loops use all of it, and the inner condition may imply the outer one.
      std::vector<Expr> parts{condition};
      conjuncts(inner->condition, parts);
      return make_if(exprs_.simplify(conjunction(parts)), inner->then_case);
    }
    if (condition.same_as(n.condition) && then_case.same_as(n.then_case) && else_case.same_as(n.else_case)) return s;
    return make_if(std::move(condition), std::move(then_case), std::move(else_case));
  }

  Stmt run(const Stmt& s, const Store& n) {
    std::vector<Expr> indices;
    bool changed = run_all(n.indices, indices);
    Expr value = exprs_.simplify(n.value), mask = exprs_.simplify(n.mask);
    if (mask.defined() && is_false(mask)) return {};
    if (mask.defined() && is_true(mask)) mask = {};
    changed |= !value.same_as(n.value) || !mask.same_as(n.mask);
    if (!changed) return s;
    Store store = n;
    store.asynchronous = n.asynchronous && value.as<Load>() != nullptr;  // a load that is never active becomes 0
    store.indices = std::move(indices);
    store.value = std::move(value);
    store.mask = std::move(mask);
    return make_store(std::move(store));
  }

  Stmt run(const Stmt& s, const Allocate& n) {
    Stmt body = run(n.body);
    return body.same_as(n.body) ? s : with_body(n, n.buffer, std::move(body));
  }

  Stmt run(const Stmt& s, const Prefetch& n) {
    std::vector<Expr> indices;
    if (!run_all(n.indices, indices)) return s;
    return make_prefetch(n.buffer, std::move(indices), n.for_write, n.locality);
  }

  Stmt run(const Stmt& s, const CommitCopies&) { return s; }
  Stmt run(const Stmt& s, const Barrier&) { return s; }
  Stmt run(const Stmt& s, const Launch&) { return s; }
  Stmt run(const Stmt& s, const TensorInstruction&) { return s; }

  bool run_all(const std::vector<Expr>& in, std::vector<Expr>& out) {
    bool changed = false;
    out.reserve(in.size());
    for (const Expr& e : in) {
      out.push_back(exprs_.simplify(e));
      changed |= !out.back().same_as(e);
    }
    return changed;
  }

  ExprSimplifier exprs_;
};

}  // namespace

bool prove(const Expr& condition, const Ranges& ranges) {
  return is_always_true(condition, ranges) || is_true(simplify(condition, ranges));
}

bool disprove(const Expr& condition, const Ranges& ranges) {
  return is_always_false(condition, ranges) || is_false(simplify(condition, ranges));
}

Expr simplify(const Expr& e, const Ranges& ranges) { return ExprSimplifier(ranges).simplify(e); }

Stmt simplify(const Stmt& s, const Ranges& ranges) { return StmtSimplifier(ranges).run(s); }

}  // namespace nestwright::ir
