#include "lower/support/copier.h"

namespace nestwright {

using namespace ir;

const Buffer& Copier::renamed(const Buffer& buffer) const {
  const auto found = buffers_.find(buffer);
  return found == buffers_.end() ? buffer : found->second;
}

std::vector<Expr> Copier::mutate_all(const std::vector<Expr>& exprs) {
  std::vector<Expr> result;
  result.reserve(exprs.size());
  for (const Expr& e : exprs) result.push_back(mutate(e));
  return result;
}

Expr Copier::mutate(const Expr& e) {
  if (!e.defined()) return e;
  if (const auto* ref = e.as<VarRef>()) {
    const auto found = with_.find(ref->var);
    return found == with_.end() ? e : found->second;
  }
  if (const auto* n = e.as<Binary>()) {
    const Expr a = mutate(n->a), b = mutate(n->b);
    return a.same_as(n->a) && b.same_as(n->b) ? e : apply(n->op, a, b);
  }
  if (const auto* n = e.as<Load>()) {
    const Buffer& buffer = renamed(n->buffer);
    if (buffer == n->buffer) return mutate_children(e);
    return make_load(buffer, mutate_all(n->indices), mutate(n->mask));
  }
  if (const auto* n = e.as<Not>()) {
    const Expr a = mutate(n->a);
    return a.same_as(n->a) ? e : !a;
  }
  if (const auto* n = e.as<Call>(); n && n->intrinsic == Intrinsic::kLikely) {
    const Expr condition = mutate(n->args[0]);
    return condition.same_as(n->args[0]) ? e : likely(condition);
  }
  return mutate_children(e);
}

Stmt Copier::mutate(const Stmt& s) {
  if (!s.defined()) return s;
  if (const auto* n = s.as<For>(); n && fresh_) {
    const Var var(n->var.name(), n->var.type());
    const Expr first = mutate(n->min), extent = mutate(n->extent);
    with_[n->var] = var;
    return make_for(var, first, extent, n->kind, mutate(n->body));
  }
  if (const auto* n = s.as<Let>(); n && fresh_) {
    const Var var(n->var.name(), n->var.type());
    const Expr value = mutate(n->value);
    with_[n->var] = var;
    return make_let(var, value, mutate(n->body));
  }
  if (const auto* n = s.as<Allocate>(); n && fresh_) {
    const BufferNode& b = *n->buffer.operator->();
    const Buffer buffer(b.name, b.element, mutate_all(b.shape), b.scope, mutate_all(b.strides), b.alignment);
    buffers_[n->buffer] = buffer;
    return with_body(*n, buffer, mutate(n->body));
  }
  if (const auto* n = s.as<Store>()) {
    const Buffer& buffer = renamed(n->buffer);
    if (buffer == n->buffer) return mutate_children(s);
    Store store = *n;
    store.buffer = buffer;
    store.indices = mutate_all(n->indices);
    store.value = mutate(n->value);
    store.mask = mutate(n->mask);
    return make_store(std::move(store));
  }
  if (const auto* n = s.as<Prefetch>()) {
    const Buffer& buffer = renamed(n->buffer);
    if (buffer == n->buffer) return mutate_children(s);
    return make_prefetch(buffer, mutate_all(n->indices), n->for_write, n->locality);
  }
  if (const auto* n = s.as<IfThenElse>()) {
    const Expr condition = mutate(n->condition);
    if (condition.type().is_scalar() && is_true(condition)) return mutate(n->then_case);
    if (condition.type().is_scalar() && is_false(condition)) return mutate(n->else_case);
    Stmt then_case = mutate(n->then_case), else_case = mutate(n->else_case);
    if (condition.same_as(n->condition) && then_case.same_as(n->then_case) && else_case.same_as(n->else_case)) return s;
    return make_if(condition, std::move(then_case), std::move(else_case));
  }
  return mutate_children(s);
}

}  // namespace nestwright
