#include "ir/simplify/expr_simplifier.h"

#include <cmath>
#include <utility>

#include "ir/core/fold.h"
#include "ir/traversal/equal.h"
#include "ir/traversal/rewrite.h"

namespace nestwright::ir {
namespace {

// Whether all lanes have the value that a masked load gives in a disabled lane.
bool is_positive_zero(const Expr& e) {
  if (const auto* broadcast = e.as<Broadcast>()) return is_positive_zero(broadcast->value);
  const auto* imm = e.as<FloatImm>();
  return imm ? imm->value == 0 && !std::signbit(imm->value) : is_const_int(e, 0);
}

Expr keep(const Expr& original, Expr simplified) { return equal(original, simplified) ? original : simplified; }

}  // namespace

Expr ExprSimplifier::simplify(const Expr& e) {
  if (!e.defined() || e.as<IntImm>() || e.as<FloatImm>()) return e;
  Expr result = e;
  // The bound is only a safeguard: rules make expressions smaller.
  for (int pass = 0; pass < 8; ++pass) {
    again_ = false;
    result = run(result);
    if (!again_) break;
  }
  return keep(e, std::move(result));
}

Expr ExprSimplifier::run(const Expr& e) {
  return std::visit(
      overloaded{[&](const IntImm&) { return e; }, [&](const FloatImm&) { return e; },
                 [&](const VarRef& n) { return run_var(e, n); }, [&](const Binary& n) { return run_binary(e, n); },
                 [&](const Not& n) { return run_not(e, n); }, [&](const Select& n) { return run_select(e, n); },
                 [&](const Cast& n) {
                   Expr value = run(n.value);
                   if (value.type() == e.type()) return value;
                   if (const auto* b = value.as<Broadcast>()) {
                     return make_broadcast(cast(e.type().element(), b->value), e.lanes());
                   }
                   return value.same_as(n.value) && !value.as<IntImm>() && !value.as<FloatImm>()
                              ? e
                              : keep(e, cast(e.type(), value));
                 },
                 [&](const Load& n) { return run_load(e, n); },
                 [&](const Ramp& n) {
                   Expr base = run(n.base), stride = run(n.stride);
                   if (is_const_int(stride, 0)) return make_broadcast(base, e.lanes());
                   const bool same = base.same_as(n.base) && stride.same_as(n.stride);
                   return same ? e : make_ramp(base, stride, e.lanes());
                 },
                 [&](const Broadcast& n) {
                   Expr value = run(n.value);
                   return value.same_as(n.value) ? e : make_broadcast(value, e.lanes());
                 },
                 [&](const Call& n) { return run_call(e, n); },
                 [&](const CallExtern& n) {
                   std::vector<Expr> args;
                   bool same = true;
                   for (const Expr& arg : n.args) {
                     args.push_back(run(arg));
                     same &= args.back().same_as(arg);
                   }
                   return same ? e : make_call_extern(n.function, std::move(args), e.type());
                 },
                 [&](const Reduce& n) { return run_reduce(e, n); }},
      e.node().value);
}

Expr ExprSimplifier::run_under(const Expr& e, const Expr& condition, bool holds) {
  Ranges outside = ranges_;
  const Ranges* const certain = certain_;
  if (!certain_) certain_ = &outside;
  holds ? ranges_.assume(condition) : ranges_.assume_not(condition);
  Expr result = run(e);
  certain_ = certain;
  ranges_ = std::move(outside);
  return result;
}

Expr ExprSimplifier::run_var(const Expr& e, const VarRef& n) {
  for (const auto& [var, value] : replaced_) {
    if (var == n.var) return value;
  }
  if (n.var.type().is_float()) return e;
  const Interval known = ranges_.find(n.var);
  return known.is_point() ? make_int(known.lo, n.var.type()) : e;
}

Expr ExprSimplifier::run_binary(const Expr& e, const Binary& n) {
  if (is_index_sum(e)) return run_sum(e);
  if (n.op == BinaryOp::kAnd || n.op == BinaryOp::kOr) return run_logical(e, n);
  if (e.type() == kIndex && (n.op == BinaryOp::kDiv || n.op == BinaryOp::kMod)) return run_division(e, n);
  Expr a = run(n.a), b = run(n.b);
  Expr result;
  if (!a.type().is_scalar()) {
    result = run_vectors(n.op, a, b);
  } else if (is_comparison(n.op)) {
    result = run_comparison(n.op, a, b);
  } else if (n.op == BinaryOp::kMin || n.op == BinaryOp::kMax) {
    result = run_extremum(n.op, a, b);
  } else {
    result = apply(n.op, a, b);
  }
  return keep(e, std::move(result));
}

Expr ExprSimplifier::run_select(const Expr& e, const Select& n) {
  Expr condition = run(n.condition);
  if (is_true(condition)) return run(n.if_true);
  if (is_false(condition) || equal(n.if_true, n.if_false)) return run(n.if_false);
  const bool refines = condition.type().is_scalar();
  Expr if_true = refines ? run_under(n.if_true, condition, true) : run(n.if_true);
  Expr if_false = refines ? run_under(n.if_false, condition, false) : run(n.if_false);
  if (equal(if_true, if_false)) return if_true;
  if (is_true(if_true) && is_false(if_false) && condition.type() == e.type()) return condition;
  // A load gives 0 where its mask does not hold.
  const auto* load = if_true.as<Load>();
  if (load && load->mask.defined() && is_positive_zero(if_false) && equal(load->mask, condition)) return if_true;
  return keep(e, make_select(std::move(condition), std::move(if_true), std::move(if_false)));
}

Expr ExprSimplifier::run_call(const Expr& e, const Call& n) {
  std::vector<Expr> args;
  args.reserve(n.args.size());
  bool changed = false;
  for (const Expr& arg : n.args) {
    args.push_back(run(arg));
    changed |= !args.back().same_as(arg);
  }
  const Expr& first = args[0];
  if (n.intrinsic == Intrinsic::kLikely) {
    const auto* inner = first.as<Call>();
    if (is_true(first) || is_false(first) || (inner && inner->intrinsic == Intrinsic::kLikely)) return first;
  }
  if (const auto* imm = first.as<FloatImm>()) {
    if (n.intrinsic == Intrinsic::kAbs) return make_float(std::abs(imm->value), e.type());
    if (n.intrinsic == Intrinsic::kFloor) return make_float(std::floor(imm->value), e.type());
    if (n.intrinsic == Intrinsic::kCeil) return make_float(std::ceil(imm->value), e.type());
    if (n.intrinsic == Intrinsic::kTrunc) return make_float(std::trunc(imm->value), e.type());
  }
  if (const std::int64_t* imm = as_const_int(first); imm && n.intrinsic == Intrinsic::kAbs) {
    return *imm >= 0 || e.type().code == TypeCode::kUInt ? first : make_int(0, e.type()) - first;
  }
  return changed ? make_call(n.intrinsic, std::move(args), e.type()) : e;
}

Expr ExprSimplifier::run_load(const Expr& e, const Load& n) {
  // Both operands of a select may be evaluated, so a load in one is executed whether the condition holds or not: the
  // condition may replace neither its mask nor its indices.
  const auto run_always = [&](const Expr& part) {
    if (!certain_) return run(part);
    const Ranges inside = std::exchange(ranges_, *certain_);
    const Ranges* const certain = std::exchange(certain_, nullptr);
    Expr result = run(part);
    certain_ = certain;
    ranges_ = inside;
    return result;
  };
  std::vector<Expr> indices;
  indices.reserve(n.indices.size());
  bool changed = false;
  for (const Expr& index : n.indices) {
    indices.push_back(n.mask.defined() ? run(index) : run_always(index));
    changed |= !indices.back().same_as(index);
  }
  Expr mask = n.mask;
  if (mask.defined()) mask = run_always(mask);
  if (mask.defined() && is_false(mask)) return make_const(0, e.type());
  if (mask.defined() && is_true(mask)) mask = {};
  if (!changed && mask.same_as(n.mask)) return e;
  return make_load(n.buffer, std::move(indices), std::move(mask));
}

Expr ExprSimplifier::run_reduce(const Expr& e, const Reduce& n) {
  Ranges outside = ranges_;
  std::vector<ReduceAxis> axes;
  bool changed = false;
  for (const ReduceAxis& axis : n.axes) {
    axes.push_back({axis.var, run(axis.min), run(axis.extent), axis.may_be_part});
    changed |= !axes.back().min.same_as(axis.min) || !axes.back().extent.same_as(axis.extent);
    ranges_.bind(axis.var, axes.back().min, axes.back().extent);
  }
  std::vector<Expr> values;
  for (const Expr& value : n.values) {
    values.push_back(run(value));
    changed |= !values.back().same_as(value);
  }
  ranges_ = std::move(outside);
  std::vector<Expr> init;
  for (const Expr& start : n.init) {
    init.push_back(run(start));
    changed |= !init.back().same_as(start);
  }
  if (!changed) return e;
  return make_reduce({n.reducer, std::move(values), std::move(axes), n.combiner, n.result, std::move(init)});
}

// --- Sums of indices -------------------------------------------------------------------------------------------------

Expr ExprSimplifier::run_sum(const Expr& e) {
  Linear sum;
  collect(sum, e, 1);
  join_quotients(sum);
  return keep(e, sum.expr());
}

void ExprSimplifier::collect(Linear& sum, const Expr& e, std::int64_t factor) {
  const auto* n = e.as<Binary>();
  if (n && e.type() == kIndex) {
    if (n->op == BinaryOp::kAdd || n->op == BinaryOp::kSub) {
      collect(sum, n->a, factor);
      collect(sum, n->b, n->op == BinaryOp::kAdd ? factor : mul_wrapping(factor, -1));
      return;
    }
    if (n->op == BinaryOp::kMul) return collect_product(sum, e, *n, factor);
  }
  const Expr atom = run(e);
  if (is_index_sum(atom) || atom.as<IntImm>()) {
    sum.add(to_linear(atom), factor);
  } else {
    sum.add_term(atom, factor);
  }
}

void ExprSimplifier::collect_product(Linear& sum, const Expr& e, const Binary& n, std::int64_t factor) {
  if (const std::int64_t* constant = as_const_int(n.b)) return collect(sum, n.a, mul_wrapping(factor, *constant));
  if (const std::int64_t* constant = as_const_int(n.a)) return collect(sum, n.b, mul_wrapping(factor, *constant));
  Linear a, b;
  collect(a, n.a, 1);
  collect(b, n.b, 1);
  join_quotients(a);
  join_quotients(b);
  const Linear product = multiply(a, b);
  if (product.constant != 0 || product.terms.size() != 1) {
    sum.add(product, factor);
  } else {
    sum.add_term(keep(e, product.terms[0].atom), mul_wrapping(factor, product.terms[0].coefficient));
  }
}

// x%c + (x/c)*c -> x, and x%c + ((x/c)%m)*c -> x%(c*m), each times any factor.
void ExprSimplifier::join_quotients(Linear& sum) {
  for (std::size_t i = 0; i < sum.terms.size(); ++i) {
    const auto* n = sum.terms[i].atom.as<Binary>();
    if (!n || n->op != BinaryOp::kMod) continue;
    const LinearTerm modulo = sum.terms[i];
    if (!join(sum, modulo)) continue;
    again_ = true;
    i = static_cast<std::size_t>(-1);  // restart: the terms have changed
  }
}

bool ExprSimplifier::join(Linear& sum, const LinearTerm& modulo) {
  const auto& low = *modulo.atom.as<Binary>();
  const Linear divisor = to_linear(low.b);
  const auto is_quotient = [&](const Expr& e) {
    const auto* n = e.as<Binary>();
    return n && n->op == BinaryOp::kDiv && same_atom(n->b, low.b) && same_atom(n->a, low.a);
  };
  for (std::size_t j = 0; j < sum.terms.size(); ++j) {
    if (!sum.terms[j].atom.as<Binary>()) continue;
    for (const Expr& high : factors_of(sum.terms[j].atom)) {
      const auto* n = high.as<Binary>();
      if (!n) continue;
      Linear joined;
      if (is_quotient(high)) {
        joined = to_linear(low.a);
      } else if (const std::int64_t* m = as_const_int(n->b); divisor.is_constant() && divisor.constant > 0 && m &&
                                                             *m > 0 && n->op == BinaryOp::kMod && is_quotient(n->a)) {
        joined = remainder(to_linear(low.a), divisor.constant * *m);
      } else {
        continue;
      }
      // The sum must contain all terms of divisor * high, which cancel.
      const Linear product = multiply(divisor, Linear{0, {{high, 1}}});
      Linear less = sum;
      less.add(product, -modulo.coefficient).add_term(modulo.atom, -modulo.coefficient);
      if (less.terms.size() + product.terms.size() + 1 != sum.terms.size()) continue;
      sum = std::move(less.add(joined, modulo.coefficient));
      return true;
    }
  }
  return false;
}

}  // namespace nestwright::ir
