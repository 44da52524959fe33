// Selects asynchronous copies (cp.async of CUDA, from sm_80 on): a store from global to shared memory becomes one if no
// thread accesses the copied element before a barrier waits for the copy. With a double buffer, the fill for the next
// iteration is then in flight while the current one computes.
//
//   T[1 - half, i] = A[...]  ->  async T[1 - half, i] = A[...]
//
// Copies may stay in flight at a barrier only in a group (ir::CommitCopies). No thread accesses the elements of a group
// before a barrier waits for it, which ir/verify/copies.cpp checks. A store outside all groups does not become a copy
// if the next barrier leaves groups in flight.
#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "ir/analysis/injectivity.h"
#include "ir/analysis/lanes.h"
#include "ir/analysis/symbol_ranges.h"
#include "ir/core/one_of.h"
#include "ir/gpu/barriers.h"
#include "ir/gpu/copies.h"
#include "ir/simplify/vector_access.h"
#include "ir/traversal/linear.h"
#include "ir/traversal/rewrite.h"
#include "lower/passes.h"
#include "lower/support/ranges_mutator.h"
#include "target/description/gpu_target.h"

namespace nestwright::passes {
namespace {

using namespace ir;

/// Whether the hardware has such a copy, whose load may have a mask that is uniform over the lanes.
bool is_candidate(const Store& store) {
  const auto* load = store.value.as<Load>();
  if (!is_copy(store) || store.mask.defined()) return false;
  if (load->mask.defined() && !common_mask(load->mask).defined()) return false;
  return is_asynchronous_copy(lanes_of(store.indices) * store.buffer->element.bytes());
}

/// Follows the execution of one thread, with the copies that it has begun since the last barrier.
class CopyFinder {
 public:
  explicit CopyFinder(const Stmt& kernel) {
    for_each_stmt(kernel, [&](const Stmt& s) {
      if (const auto* store = s.as<Store>()) stored_.insert(store->buffer);
    });
    follow(kernel);
  }
  std::set<const StmtNode*> copies() const {
    std::set<const StmtNode*> result;
    std::set_difference(found_.begin(), found_.end(), refused_.begin(), refused_.end(),
                        std::inserter(result, result.end()));
    return result;
  }

 private:
  struct Begun {
    const StmtNode* copy;
    Buffer buffer;
    std::vector<Expr> indices;  ///< undefined: an index that depends on variables of another iteration
    bool in_group = false;
  };
  struct Loop {
    const For* loop;
    bool waits;  ///< in every iteration
  };

  void follow(const Stmt& s) {
    if (!s.defined()) return;
    std::visit(
        overloaded{[&](const For& n) { follow_loop(n); },
                   [&](const Block& n) {
                     for (const Stmt& child : n.stmts) follow(child);
                   },
                   [&](const Let& n) {
                     note_reads(n.value);
                     defined_.push_back(n.var);
                     values_[n.var] = substitute(n.value, values_);
                     follow(n.body);
                   },
                   [&](const IfThenElse& n) { follow_branch(n); }, [&](const Store& n) { follow_store(n, s); },
                   [&](const Allocate& n) { follow(n.body); },
                   [&](const CommitCopies&) {
                     for (Begun& begun : begun_) begun.in_group = true;
                   },
                   [&](const Barrier& n) { follow_barrier(n); }, [&](const TensorInstruction& n) { follow(n.body); },
                   [](const OneOf<Prefetch, Launch> auto&) {}},
        s.node().value);
  }

  void follow_loop(const For& loop) {
    note_reads(loop.min);
    note_reads(loop.extent);
    const std::vector<Begun> before = begun_;
    const std::size_t outside = defined_.size();
    defined_.push_back(loop.var);
    const bool is_sequential = !is_bound(loop.kind);
    if (is_sequential) loops_.push_back({&loop, always_reaches_barrier(loop.body)});
    follow(loop.body);
    leave_iteration(outside);
    if (is_sequential && !begun_.empty()) {  // the next iteration may access what this one begins to copy
      follow(loop.body);
      leave_iteration(outside);
    }
    if (is_sequential) loops_.pop_back();
    defined_.resize(outside);
    join(before);
  }

  void follow_barrier(const Barrier& barrier) {
    for (const Begun& begun : begun_) {
      if (barrier.pending > 0 && !begun.in_group) refused_.insert(begun.copy);
    }
    begun_.clear();
  }

  void follow_branch(const IfThenElse& branch) {
    note_reads(branch.condition);
    const std::vector<Begun> before = begun_;
    follow(branch.then_case);
    const std::vector<Begun> after_then = std::exchange(begun_, before);
    follow(branch.else_case);
    join(after_then);
  }

  void follow_store(const Store& store, const Stmt& s) {
    for (const Expr& index : store.indices) note_reads(index);
    note_reads(store.value);
    note_reads(store.mask);
    const bool is_found =
        is_candidate(store) && !stored_.contains(store.value.as<Load>()->buffer) && stores_once(store);
    touch(store.buffer, store.indices, is_found ? &s.node() : nullptr);
    if (!is_found) return;
    found_.insert(&s.node());
    begun_.push_back({&s.node(), store.buffer, store.indices, false});
  }

  /// Whether the store is injective over the loops that run without a barrier: no element is stored twice before one.
  bool stores_once(const Store& store) const {
    std::vector<const For*> carrying;
    for (const Loop& around : loops_) {
      if (!around.waits) carrying.push_back(around.loop);
    }
    std::vector<Expr> indices;
    for (const Expr& index : store.indices) indices.push_back(substitute(index, values_));
    return is_injective(indices, carrying);
  }

  void note_reads(const Expr& e) {
    if (!e.defined()) return;
    for_each_expr(e, [&](const Expr& part) {
      if (const auto* load = part.as<Load>()) touch(load->buffer, load->indices, nullptr);
    });
  }

  /// Refuses the copies in flight whose element this may be; `by` is the accessing copy, or nullptr.
  void touch(const Buffer& buffer, const std::vector<Expr>& indices, const StmtNode* by) {
    for (const Begun& begun : begun_) {
      if (begun.buffer != buffer || begun.copy == by) continue;
      bool apart = false;
      for (std::size_t d = 0; d < indices.size(); ++d) {
        const Expr &own = indices[d], &copied = begun.indices[d];
        apart = apart || (copied.defined() && own.lanes() == 1 && copied.lanes() == 1 && never_equal(own, copied));
      }
      if (!apart) refused_.insert(begun.copy);
    }
  }

  /// Makes indices undefined that depend on variables from number `outside` on, whose values change.
  void leave_iteration(std::size_t outside) {
    const auto is_inside = [&](const Expr& part) {
      const auto* ref = part.as<VarRef>();
      return ref != nullptr && std::find(defined_.begin() + static_cast<std::ptrdiff_t>(outside), defined_.end(),
                                         ref->var) != defined_.end();
    };
    for (Begun& begun : begun_) {
      for (Expr& index : begun.indices) {
        if (any_expr(index, is_inside)) index = {};
      }
    }
  }

  void join(const std::vector<Begun>& others) {
    for (const Begun& other : others) {
      const bool known = std::any_of(begun_.begin(), begun_.end(), [&](const Begun& begun) {
        return begun.copy == other.copy && begun.in_group == other.in_group &&
               std::equal(begun.indices.begin(), begun.indices.end(), other.indices.begin(), other.indices.end(),
                          [](const Expr& a, const Expr& b) { return a.defined() == b.defined(); });
      });
      if (!known) begun_.push_back(other);
    }
  }

  std::set<Buffer> stored_;
  std::vector<Begun> begun_;
  std::vector<Loop> loops_;   ///< enclosing loops that a thread runs itself
  std::vector<Var> defined_;  ///< variables of the enclosing loops and lets
  Substitution values_;       ///< of lets
  std::set<const StmtNode*> found_, refused_;
};

/// Marks the copies that are a single access each.
class Marker final : public RangesMutator {
 public:
  Marker(std::set<const StmtNode*> copies, Ranges known)
      : RangesMutator(std::move(known)), copies_(std::move(copies)) {}
  using Mutator::mutate;

  Stmt mutate(const Stmt& s) override {
    if (!s.defined()) return s;
    const auto* store = s.as<Store>();
    if (store == nullptr) return mutate_inside(s);
    return copies_.contains(&s.node()) && is_one_copy(*store) ? make_asynchronous(*store) : s;
  }

 private:
  bool is_one_copy(const Store& store) const {
    const Load& load = *store.value.as<Load>();
    return lanes_of(store.indices) == 1 ||
           (is_one_access(store.buffer, store.indices, known()) && is_one_access(load.buffer, load.indices, known()));
  }

  std::set<const StmtNode*> copies_;
};

}  // namespace

Stmt asynchronous_copies(const Stmt& kernel, const Ranges& known) {
  return Marker(CopyFinder(kernel).copies(), known).mutate(kernel);
}

Program asynchronous_copies(Program program, PassContext& context) {
  if (!has_asynchronous_copies(context.target)) return program;
  const Ranges known = ranges_of_host(program);
  return on_kernels(std::move(program), [&](const Stmt& body) { return asynchronous_copies(body, known); });
}

}  // namespace nestwright::passes
