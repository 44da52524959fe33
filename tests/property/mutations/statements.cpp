// Mutations of loops, conditions, initialisation and storage.
#include <algorithm>
#include <set>

#include "ir/traversal/rewrite.h"
#include "tests/property/mutations/mutation.h"

namespace nestwright::property {
namespace {

using ir::Expr;
using ir::Program;
using ir::Stmt;
using MaybeStmt = std::optional<Stmt>;

bool is_likely(const Expr& e) {
  const auto* call = e.as<ir::Call>();
  return call != nullptr && call->intrinsic == ir::Intrinsic::kLikely;
}
bool is_literal(const Expr& e) {
  if (const auto* broadcast = e.as<ir::Broadcast>()) return is_literal(broadcast->value);
  return e.as<ir::IntImm>() != nullptr || e.as<ir::FloatImm>() != nullptr;
}
/// A store of a literal: an initialisation, or the filling of a pad. Null otherwise.
const ir::Store* as_init(const Stmt& s) {
  const auto* store = s.as<ir::Store>();
  return store != nullptr && is_literal(store->value) ? store : nullptr;
}
bool mentions(const std::vector<Expr>& indices, const ir::Var& var) {
  bool found = false;
  for (const Expr& index : indices) {
    ir::for_each_expr(index, [&](const Expr& e) {
      const auto* ref = e.as<ir::VarRef>();
      found = found || (ref != nullptr && ref->var == var);
    });
  }
  return found;
}
/// Whether some store below has the same address in every iteration: no index depends on the loop, directly or through
/// lets, and the buffer is not allocated in each iteration.
bool is_reduction_loop(const ir::For& loop) {
  bool found = false;
  std::vector<ir::Var> made_from = {loop.var};
  std::set<ir::Buffer> own;
  ir::for_each_stmt(loop.body, [&](const Stmt& s) {
    const auto depends = [&](const std::vector<Expr>& on) {
      return std::any_of(made_from.begin(), made_from.end(), [&](const ir::Var& var) { return mentions(on, var); });
    };
    if (const auto* let = s.as<ir::Let>(); let != nullptr && depends({let->value})) made_from.push_back(let->var);
    if (const auto* allocation = s.as<ir::Allocate>()) own.insert(allocation->buffer);
    const auto* store = s.as<ir::Store>();
    if (store == nullptr || is_literal(store->value) || own.count(store->buffer) > 0) return;
    found = found || !depends(store->indices);
  });
  return found;
}
Stmt with_bounds(const ir::For& loop, const Expr& min, const Expr& extent) {
  return ir::make_for(loop.var, min, extent, loop.kind, loop.body);
}
/// The condition with its first comparison replaced.
Expr compared(const Expr& e, ir::BinaryOp op, std::int64_t shift) {
  if (is_likely(e)) return ir::likely(compared(e.as<ir::Call>()->args[0], op, shift));
  const auto* binary = e.as<ir::Binary>();
  if (binary == nullptr) return e;
  if (binary->op == ir::BinaryOp::kAnd) return compared(binary->a, op, shift) && binary->b;
  return binary->op == ir::BinaryOp::kLt ? ir::make_binary(op, binary->a, binary->b + Expr(shift)) : e;
}

template <class F>
auto of_loop(F f) {
  return [f](const Stmt& s, const Program&) -> MaybeStmt {
    const auto* loop = s.as<ir::For>();
    return loop != nullptr ? f(*loop) : MaybeStmt();
  };
}
template <class F>
auto of_choice(F f) {
  return [f](const Stmt& s, const Program&) -> MaybeStmt {
    const auto* choice = s.as<ir::IfThenElse>();
    return choice != nullptr ? f(*choice) : MaybeStmt();
  };
}
template <class F>
auto of_block(F f) {
  return [f](const Stmt& s, const Program&) -> MaybeStmt {
    const auto* block = s.as<ir::Block>();
    return block != nullptr ? f(*block) : MaybeStmt();
  };
}
Stmt without(const ir::Block& b, std::size_t n) {
  std::vector<Stmt> stmts = b.stmts;
  stmts.erase(stmts.begin() + static_cast<std::ptrdiff_t>(n));
  return ir::block(std::move(stmts));
}

std::vector<Mutation> loops() {
  return {
      {"loop_too_long", "a loop runs once more",
       of_loop([](const ir::For& l) -> MaybeStmt { return with_bounds(l, l.min, l.extent + 1); })},
      {"loop_too_short", "a loop leaves its last iteration out",
       of_loop([](const ir::For& l) -> MaybeStmt { return with_bounds(l, l.min, l.extent - 1); })},
      {"loop_starts_late", "a loop leaves its first iteration out",
       of_loop([](const ir::For& l) -> MaybeStmt { return with_bounds(l, l.min + 1, l.extent - 1); })},
      {"loop_shifted", "a loop starts and ends one later",
       of_loop([](const ir::For& l) -> MaybeStmt { return with_bounds(l, l.min + 1, l.extent); })},
      {"loop_dropped", "only the first iteration of a loop is left",
       of_loop([](const ir::For& l) -> MaybeStmt { return ir::substitute(l.body, {{l.var, l.min}}); })},
      {"reduction_parallel", "a loop over a reduction runs in parallel", of_loop([](const ir::For& l) -> MaybeStmt {
         if (l.kind != ir::LoopKind::kSerial || !is_reduction_loop(l)) return {};
         return ir::make_for(l.var, l.min, l.extent, ir::LoopKind::kParallel, l.body);
       })},
      {"reduction_vectorized", "a loop over a reduction is vectorised", of_loop([](const ir::For& l) -> MaybeStmt {
         if (l.kind != ir::LoopKind::kSerial || !is_reduction_loop(l)) return {};
         return ir::make_for(l.var, l.min, l.extent, ir::LoopKind::kVectorized, l.body);
       })},
  };
}

std::vector<Mutation> conditions() {
  return {
      {"tail_guard_dropped", "the test of a tail is left out", of_choice([](const ir::IfThenElse& c) -> MaybeStmt {
         if (!is_likely(c.condition)) return {};
         return c.then_case;
       })},
      {"guard_one_too_far", "a bound is tested with <= instead of <",
       of_choice([](const ir::IfThenElse& c) -> MaybeStmt {
         const Expr other = compared(c.condition, ir::BinaryOp::kLe, 0);
         if (other.same_as(c.condition)) return {};
         return ir::make_if(other, c.then_case, c.else_case);
       })},
      {"guard_one_too_near", "a bound is tested one too low", of_choice([](const ir::IfThenElse& c) -> MaybeStmt {
         const Expr other = compared(c.condition, ir::BinaryOp::kLt, -1);
         if (other.same_as(c.condition)) return {};
         return ir::make_if(other, c.then_case, c.else_case);
       })},
      {"condition_negated", "a condition is negated", of_choice([](const ir::IfThenElse& c) -> MaybeStmt {
         return ir::make_if(!c.condition, c.then_case, c.else_case);
       })},
      {"else_dropped", "the other branch is left out", of_choice([](const ir::IfThenElse& c) -> MaybeStmt {
         if (!c.else_case.defined()) return {};
         return ir::make_if(c.condition, c.then_case);
       })},
      {"carried_tile_not_loaded", "a tile starts from nothing in every block",
       of_choice([](const ir::IfThenElse& c) -> MaybeStmt {
         if (!c.else_case.defined() || is_likely(c.condition)) return {};
         return c.else_case;
       })},
  };
}

std::vector<Mutation> sequences() {
  return {
      {"init_dropped", "an initialisation (or the filling of a pad) is left out",
       of_block([](const ir::Block& b) -> MaybeStmt {
         for (std::size_t n = 0; n < b.stmts.size(); ++n)
           if (as_init(b.stmts[n]) != nullptr) return without(b, n);
         return {};
       })},
      {"init_inside_reduction", "the initialisation is repeated in the loop",
       of_block([](const ir::Block& b) -> MaybeStmt {
         for (std::size_t n = 0; n + 1 < b.stmts.size(); ++n) {
           const auto* loop = b.stmts[n + 1].as<ir::For>();
           if (as_init(b.stmts[n]) == nullptr || loop == nullptr) continue;
           std::vector<Stmt> stmts = b.stmts;
           stmts[n + 1] =
               ir::make_for(loop->var, loop->min, loop->extent, loop->kind, ir::block({b.stmts[n], loop->body}));
           return ir::block(std::move(stmts));
         }
         return {};
       })},
      {"statement_dropped", "the last of some statements (a copy of an unrolled body) is left out",
       of_block([](const ir::Block& b) -> MaybeStmt { return without(b, b.stmts.size() - 1); })},
      {"statements_swapped", "two statements are executed in the other order",
       of_block([](const ir::Block& b) -> MaybeStmt {
         std::vector<Stmt> stmts = b.stmts;
         std::swap(stmts[0], stmts[1]);
         return ir::block(std::move(stmts));
       })},
      {"copy_out_dropped", "what a tile holds is not copied out", of_block([](const ir::Block& b) -> MaybeStmt {
         bool copies = false;
         ir::for_each_stmt(b.stmts.back(), [&](const Stmt& s) {
           const auto* store = s.as<ir::Store>();
           copies = copies || (store != nullptr && store->value.as<ir::Load>() != nullptr);
         });
         if (!copies) return {};
         return without(b, b.stmts.size() - 1);
       })},
      {"barrier_removed", "threads do not wait for what others store",
       [](const Stmt& s, const Program&) -> MaybeStmt {
         if (s.as<ir::Barrier>() == nullptr) return {};
         return Stmt();
       }},
      {"copies_not_waited_for", "a barrier leaves one more group of copies in flight",
       [](const Stmt& s, const Program&) -> MaybeStmt {
         const auto* barrier = s.as<ir::Barrier>();
         if (barrier == nullptr || barrier->pending == 0) return {};
         return ir::make_barrier(barrier->pending + 1);
       }},
      {"group_not_committed", "copies are in the group of those after them",
       [](const Stmt& s, const Program&) -> MaybeStmt {
         if (s.as<ir::CommitCopies>() == nullptr) return {};
         return Stmt();
       }},
      {"let_off", "a let has a value one too large",
       [](const Stmt& s, const Program&) -> MaybeStmt {
         const auto* let = s.as<ir::Let>();
         if (let == nullptr || !let->value.type().is_scalar() || !let->value.type().is_int()) return {};
         return ir::make_let(let->var, let->value + 1, let->body);
       }},
  };
}

}  // namespace

std::vector<Mutation> statement_mutations() {
  std::vector<Mutation> all = loops();
  for (const auto& part : {conditions(), sequences()}) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace nestwright::property
