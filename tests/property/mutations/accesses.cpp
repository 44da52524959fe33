// Mutations of loads, stores and allocations.
#include <algorithm>

#include "ir/traversal/equal.h"
#include "ir/traversal/rewrite.h"
#include "tests/property/mutations/mutation.h"

namespace nestwright::property {
namespace {

using ir::Expr;
using ir::Program;
using ir::Stmt;
using MaybeStmt = std::optional<Stmt>;

/// Replaces a buffer by another one.
class Rebuffer : public ir::Mutator {
 public:
  Rebuffer(ir::Buffer from, ir::Buffer to) : from_(std::move(from)), to_(std::move(to)) {}
  using Mutator::mutate;
  Expr mutate(const Expr& e) override {
    const Expr inner = mutate_children(e);
    const auto* load = inner.as<ir::Load>();
    return load != nullptr && load->buffer == from_ ? ir::make_load(to_, load->indices, load->mask) : inner;
  }
  Stmt mutate(const Stmt& s) override {
    const Stmt inner = mutate_children(s);
    const auto* store = inner.as<ir::Store>();
    return store != nullptr && store->buffer == from_ ? ir::make_store(to_, store->indices, store->value, store->mask)
                                                      : inner;
  }

 private:
  const ir::Buffer from_, to_;
};

template <class F>
auto of_store(F f) {
  return [f](const Stmt& s, const Program& p) -> MaybeStmt {
    const auto* store = s.as<ir::Store>();
    return store != nullptr ? f(*store, p) : MaybeStmt();
  };
}
template <class F>
auto of_allocation(F f) {
  return [f](const Stmt& s, const Program&) -> MaybeStmt {
    const auto* allocation = s.as<ir::Allocate>();
    return allocation != nullptr ? f(*allocation) : MaybeStmt();
  };
}
Stmt reallocated(const ir::Allocate& a, std::vector<Expr> shape, ir::Scope scope) {
  const ir::Buffer other(a.buffer->name, a.buffer->element, std::move(shape), scope);
  return ir::make_allocate(other, Rebuffer(a.buffer, other).mutate(a.body), a.offset, a.per_thread);
}
/// Another parameter with this rank and type.
std::optional<ir::Buffer> other_buffer(const ir::Buffer& buffer, const Program& p) {
  for (const ir::Parameter& parameter : p.parameters) {
    if (parameter.buffer == buffer || parameter.buffer->rank() != buffer->rank()) continue;
    if (parameter.buffer->element == buffer->element) return parameter.buffer;
  }
  return std::nullopt;
}
std::vector<Expr> swapped(std::vector<Expr> indices) {
  std::swap(indices[0], indices[1]);
  return indices;
}
bool are_scalar(const std::vector<Expr>& indices) {
  return std::all_of(indices.begin(), indices.end(), [](const Expr& e) { return e.lanes() == 1; });
}

/// Whether iterations of an inner loop may run concurrently.
bool holds_threads(const Stmt& body) {
  bool found = false;
  ir::for_each_stmt(body, [&](const Stmt& s) {
    const auto* loop = s.as<ir::For>();
    found = found || (loop != nullptr && (loop->kind == ir::LoopKind::kParallel || ir::is_bound(loop->kind)));
  });
  return found;
}

}  // namespace

std::vector<Mutation> access_mutations() {
  const auto of_load = [](auto f) {
    return [f](const Expr& e, const Program& p) -> std::optional<Expr> {
      const auto* load = e.as<ir::Load>();
      return load != nullptr ? f(*load, p) : std::optional<Expr>();
    };
  };
  using MaybeExpr = std::optional<Expr>;
  return {
      {"store_indices_swapped", "rows and columns of a store are swapped",
       of_store([](const ir::Store& s, const Program&) -> MaybeStmt {
         if (s.indices.size() < 2 || ir::equal(s.indices[0], s.indices[1])) return {};
         return ir::make_store(s.buffer, swapped(s.indices), s.value, s.mask);
       })},
      {"store_index_off", "a store lands one element further",
       of_store([](const ir::Store& s, const Program&) -> MaybeStmt {
         if (s.indices.empty() || s.indices.back().lanes() > 1) return {};
         std::vector<Expr> indices = s.indices;
         indices.back() = indices.back() + 1;
         return ir::make_store(s.buffer, std::move(indices), s.value, s.mask);
       })},
      {"store_to_wrong_buffer", "a store goes to another tensor",
       of_store([](const ir::Store& s, const Program& p) -> MaybeStmt {
         const auto other = other_buffer(s.buffer, p);
         if (!other) return {};
         return ir::make_store(*other, s.indices, s.value, s.mask);
       })},
      {"store_mask_dropped", "the mask of a store is left out",
       of_store([](const ir::Store& s, const Program&) -> MaybeStmt {
         if (!s.mask.defined()) return {};
         return ir::make_store(s.buffer, s.indices, s.value);
       })},
      {"store_mask_wrong", "a store is masked by the opposite",
       of_store([](const ir::Store& s, const Program&) -> MaybeStmt {
         if (!s.mask.defined()) return {};
         return ir::make_store(s.buffer, s.indices, s.value, !s.mask);
       })},
      {"wrong_identity", "a reduction starts from another value",
       of_store([](const ir::Store& s, const Program&) -> MaybeStmt {
         const bool vector = s.value.as<ir::Broadcast>() != nullptr;
         const Expr value = vector ? s.value.as<ir::Broadcast>()->value : s.value;
         if (value.as<ir::IntImm>() == nullptr && value.as<ir::FloatImm>() == nullptr) return {};
         const auto* real = value.as<ir::FloatImm>();
         const bool is_zero = real != nullptr ? real->value == 0 : ir::is_const_int(value, 0);
         const Expr other = ir::make_const(is_zero ? 1 : 0, value.type());
         return ir::make_store(s.buffer, s.indices, ir::make_broadcast(other, s.value.lanes()), s.mask);
       })},
      {"wrong_combiner", "a reduction combines in another way",
       of_store([](const ir::Store& s, const Program&) -> MaybeStmt {
         const auto* binary = s.value.as<ir::Binary>();
         if (binary == nullptr || binary->a.as<ir::Load>() == nullptr) return {};
         const bool is_sum = binary->op == ir::BinaryOp::kAdd;
         if (!is_sum && binary->op != ir::BinaryOp::kMax) return {};
         const ir::BinaryOp op = is_sum ? ir::BinaryOp::kSub : ir::BinaryOp::kMin;
         return ir::make_store(s.buffer, s.indices, ir::make_binary(op, binary->a, binary->b), s.mask);
       })},
      {"buffer_too_small", "an allocation lacks its last row", of_allocation([](const ir::Allocate& a) -> MaybeStmt {
         if (a.buffer->shape.empty()) return {};
         std::vector<Expr> shape = a.buffer->shape;
         shape[0] = shape[0] - 1;
         return reallocated(a, std::move(shape), a.buffer->scope);
       })},
      {"buffer_shape_swapped", "an allocation has rows for columns",
       of_allocation([](const ir::Allocate& a) -> MaybeStmt {
         if (a.buffer->shape.size() < 2 || ir::equal(a.buffer->shape[0], a.buffer->shape[1])) return {};
         return reallocated(a, swapped(a.buffer->shape), a.buffer->scope);
       })},
      {"scope_too_private", "what threads share is made private to each",
       of_allocation([](const ir::Allocate& a) -> MaybeStmt {
         if (a.buffer->scope != ir::Scope::kGlobal && a.buffer->scope != ir::Scope::kShared) return {};
         if (!holds_threads(a.body)) return {};
         return reallocated(a, a.buffer->shape, ir::Scope::kLocal);
       })},
      {"thread_storage_shared", "threads get one piece of workspace together",
       of_allocation([](const ir::Allocate& a) -> MaybeStmt {
         if (!a.per_thread || a.offset < 0) return {};
         return ir::make_allocate(a.buffer, a.body, a.offset, false);
       })},
      {"storage_overlaps", "two allocations, one inside the other, are given one place in the workspace",
       of_allocation([](const ir::Allocate& a) -> MaybeStmt {
         if (a.offset < 0) return {};
         const ir::Allocate* inner = nullptr;
         ir::for_each_stmt(a.body, [&](const Stmt& s) {
           const auto* found = s.as<ir::Allocate>();
           const bool is_placed = found != nullptr && found->offset >= 0 && found->per_thread == a.per_thread;
           if (inner == nullptr && is_placed && found->offset != a.offset) inner = found;
         });
         if (inner == nullptr) return {};
         return ir::make_allocate(a.buffer, a.body, inner->offset, a.per_thread);
       })},
      {"workspace_exceeded", "an allocation lies beyond the end of the workspace",
       of_allocation([](const ir::Allocate& a) -> MaybeStmt {
         if (a.offset < 0) return {};
         return ir::make_allocate(a.buffer, a.body, a.offset + 4096, a.per_thread);
       })},
      {"load_indices_swapped",
       "rows and columns of a load are swapped",
       {},
       of_load([](const ir::Load& l, const Program&) -> MaybeExpr {
         if (l.indices.size() < 2 || !are_scalar(l.indices) || ir::equal(l.indices[0], l.indices[1])) return {};
         return ir::make_load(l.buffer, swapped(l.indices), l.mask);
       })},
      {"load_index_off",
       "a load reads one element further",
       {},
       of_load([](const ir::Load& l, const Program&) -> MaybeExpr {
         if (l.indices.empty() || l.indices.back().lanes() > 1) return {};
         std::vector<Expr> indices = l.indices;
         indices.back() = indices.back() + 1;
         return ir::make_load(l.buffer, std::move(indices), l.mask);
       })},
      {"load_from_wrong_buffer",
       "a load reads another tensor",
       {},
       of_load([](const ir::Load& l, const Program& p) -> MaybeExpr {
         const auto other = other_buffer(l.buffer, p);
         if (!other) return {};
         return ir::make_load(*other, l.indices, l.mask);
       })},
      {"load_mask_dropped",
       "the mask of a load is left out",
       {},
       of_load([](const ir::Load& l, const Program&) -> MaybeExpr {
         if (!l.mask.defined()) return {};
         return ir::make_load(l.buffer, l.indices);
       })},
      {"load_mask_wrong",
       "a load is masked by the opposite",
       {},
       of_load([](const ir::Load& l, const Program&) -> MaybeExpr {
         if (!l.mask.defined()) return {};
         return ir::make_load(l.buffer, l.indices, !l.mask);
       })},
  };
}

}  // namespace nestwright::property
