// Interleaves virtual threads in one real thread: each statement becomes a loop over them, as deep inside the nest as
// is correct, so that barriers stay outside. Buffers private to a virtual thread get a dimension.
//
//   vthread v in 0..2:                   local c: float32[2, 4]
//     local c: float32[4]                for k:
//     for k:                               unrolled v in 0..2:
//       c[i] += A.cache[v*4 + i, k]   ->     c[v, i] += A.cache[v*4 + i, k]
//       barrier                            barrier
//     C[v*4 + i] = c[i]                  unrolled v in 0..2:
//                                          C[v*4 + i] = c[v, i]
//
// After TVM's virtual threads (Chen et al., OSDI 2018).
#include <fmt/format.h>

#include "ir/core/one_of.h"
#include "ir/gpu/barriers.h"
#include "ir/traversal/rewrite.h"
#include "lower/passes.h"
#include "lower/support/copier.h"
#include "nestwright/error.h"

namespace nestwright::passes {
namespace {

using namespace ir;

bool is_private(const Buffer& buffer) { return buffer->scope != Scope::kGlobal && buffer->scope != Scope::kShared; }

/// `buffer` with an outermost dimension of `count` copies.
Buffer copies_of(const Buffer& buffer, const Expr& count) {
  std::vector<Expr> shape = buffer->shape, strides = buffer->strides;
  shape.insert(shape.begin(), count);
  if (!strides.empty()) strides.insert(strides.begin(), Expr(buffer->elements()));
  return {buffer->name, buffer->element, std::move(shape), buffer->scope, std::move(strides), buffer->alignment};
}

/// Copies a statement for one virtual thread: substitutes `with` for its variable, and puts it in front of the indices
/// of private buffers.
class ThreadCopier final : public Copier {
 public:
  ThreadCopier(const Var& thread, const Expr& with, const std::map<Buffer, Buffer>& copies)
      : Copier({{thread, with}}, false), number_(with), copies_(copies) {}

  Expr mutate(const Expr& e) override {
    const auto* load = e.defined() ? e.as<Load>() : nullptr;
    const auto copies = load != nullptr ? copies_.find(load->buffer) : copies_.end();
    if (copies == copies_.end()) return Copier::mutate(e);
    return make_load(copies->second, indices(load->indices), mutate(load->mask));
  }
  Stmt mutate(const Stmt& s) override {
    if (const auto* store = s.defined() ? s.as<Store>() : nullptr) {
      if (const auto copies = copies_.find(store->buffer); copies != copies_.end()) {
        Store own = *store;
        own.buffer = copies->second;
        own.indices = indices(store->indices);
        own.value = mutate(store->value);
        own.mask = mutate(store->mask);
        return make_store(std::move(own));
      }
    }
    return Copier::mutate(s);
  }

 private:
  std::vector<Expr> indices(const std::vector<Expr>& of_one) {
    std::vector<Expr> result = mutate_all(of_one);
    result.insert(result.begin(), number_);
    return result;
  }

  Expr number_;
  const std::map<Buffer, Buffer>& copies_;
};

/// Moves one loop over virtual threads inwards.
class Interleaver {
 public:
  explicit Interleaver(const For& loop) : loop_(loop) {}

  Stmt inside(const Stmt& s) {
    if (!s.defined()) return s;
    return std::visit(
        overloaded{[&](const For& n) {
                     if (n.kind == LoopKind::kVectorized || differs(n.min) || differs(n.extent)) return each(s);
                     return make_for(n.var, n.min, n.extent, n.kind, inside(n.body));
                   },
                   [&](const Block& n) {
                     std::vector<Stmt> parts;
                     for (const Stmt& part : n.stmts) parts.push_back(inside(part));
                     return block(std::move(parts));
                   },
                   [&](const Let& n) {
                     if (!differs(n.value)) return make_let(n.var, n.value, inside(n.body));
                     // A let of a load cannot be substituted: the memory may change.
                     return reads_memory(n.value) ? each(s) : inside(substitute(n.body, {{n.var, n.value}}));
                   },
                   [&](const IfThenElse& n) {
                     if (!differs(n.condition)) {
                       Stmt then_case = inside(n.then_case);
                       return make_if(n.condition, std::move(then_case), inside(n.else_case));
                     }
                     const Expr rest = n.else_case.defined() ? Expr() : of_first(n.condition);
                     return rest.defined() ? first(make_if(rest, n.then_case)) : each(s);
                   },
                   [&](const Allocate& n) {
                     if (!is_private(n.buffer)) return with_body(n, n.buffer, inside(n.body));
                     const Buffer copies = copies_of(n.buffer, loop_.extent);
                     copies_.emplace(n.buffer, copies);
                     return with_body(n, copies, inside(n.body));
                   },
                   [&](const CommitCopies&) { return s; }, [&](const Barrier&) { return s; },
                   [&](const OneOf<Store, Prefetch, Launch, TensorInstruction> auto&) { return each(s); }},
        s.node().value);
  }

 private:
  Stmt each(const Stmt& s) const {
    if (has_barrier(s)) {
      throw InternalError(
          fmt::format("internal error: virtual threads {} do not reach a barrier together", loop_.var.name()));
    }
    const Var number(loop_.var.name(), loop_.var.type());
    return make_for(number, loop_.min, loop_.extent, LoopKind::kUnrolled,
                    ThreadCopier(loop_.var, number, copies_).mutate(s));
  }
  Stmt first(const Stmt& s) const { return ThreadCopier(loop_.var, Expr(0), copies_).mutate(s); }

  bool differs(const Expr& e) const {
    return any_expr(e, [&](const Expr& part) {
      const auto* ref = part.as<VarRef>();
      const auto* load = part.as<Load>();
      return (ref != nullptr && ref->var == loop_.var) ||
             (load != nullptr && copies_.find(load->buffer) != copies_.end());
    });
  }
  /// Whether the condition is v < 1, under which one thread of a block works for all.
  bool is_first(const Expr& condition) const {
    const auto* less = condition.as<Binary>();
    const auto* ref = less != nullptr ? less->a.as<VarRef>() : nullptr;
    return ref != nullptr && less->op == BinaryOp::kLt && ref->var == loop_.var && is_const_int(less->b, 1) &&
           is_const_int(loop_.min, 0);
  }
  /// `condition` for the first virtual thread if it is false for all others; else undefined.
  Expr of_first(const Expr& condition) const {
    if (is_first(condition)) return make_bool(true);
    const auto* both = condition.as<Binary>();
    if (both == nullptr || both->op != BinaryOp::kAnd) return {};
    for (const bool left : {true, false}) {
      const Expr rest = of_first(left ? both->a : both->b);
      if (rest.defined()) return rest && (left ? both->b : both->a);
    }
    return {};
  }

  const For& loop_;
  std::map<Buffer, Buffer> copies_;
};

class VirtualThreads final : public Mutator {
 public:
  using Mutator::mutate;
  Stmt mutate(const Stmt& s) override {
    const auto* loop = s.defined() ? s.as<For>() : nullptr;
    if (loop == nullptr || loop->kind != LoopKind::kVirtualThread) return mutate_children(s);
    return Interleaver(*loop).inside(mutate(loop->body));
  }
};

}  // namespace

Program virtual_threads(Program program, PassContext&) {
  return on_kernels(std::move(program), [](const Stmt& body) { return VirtualThreads().mutate(body); });
}

}  // namespace nestwright::passes
