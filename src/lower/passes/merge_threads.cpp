// Makes one nest of the loops over threads that a block runs one after the other, so that all stages of the block share
// its threads. A loop that has fewer threads than another one with the same index is guarded; a statement that no loop
// over an index encloses is executed by the first thread along it.
//
//   blockIdx.x b:                        blockIdx.x b:
//     shared T[64]                         shared T[64]
//     threadIdx.x i in 0..64:              threadIdx.x i in 0..64:
//       T[i] = A[b, i]              ->       T[i] = A[b, i]
//     threadIdx.x j in 0..32:                if i < 32:
//       C[b, j] = T[j] + T[63 - j]             C[b, i] = T[i] + T[63 - i]
//     D[b] = T[0]                            if i < 1:
//                                              D[b] = T[0]
//
// A block whose loops over threads enclose all that it does stays as it is.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "ir/core/one_of.h"
#include "ir/traversal/rewrite.h"
#include "lower/passes.h"
#include "nestwright/error.h"

namespace nestwright::passes {
namespace {

using namespace ir;

/// The thread indices, outermost first.
constexpr std::array kIndices = {LoopKind::kThreadZ, LoopKind::kThreadY, LoopKind::kThreadX};

const For* as_threads(const Stmt& s) {
  const auto* loop = s.as<For>();
  return loop != nullptr && is_device_thread(loop->kind) ? loop : nullptr;
}

bool has_threads(const Stmt& s) {
  return s.defined() && any_stmt(s, [](const Stmt& inner) { return as_threads(inner) != nullptr; });
}

bool has_blocks(const Stmt& s) {
  return any_stmt(s, [](const Stmt& inner) {
    const auto* loop = inner.as<For>();
    return loop != nullptr && is_block_index(loop->kind);
  });
}

/// Whether a loop over threads has statements beside it.
bool has_siblings(const Stmt& s) {
  return any_stmt(s, [](const Stmt& inner) {
    const auto* parts = inner.as<Block>();
    return parts != nullptr && std::any_of(parts->stmts.begin(), parts->stmts.end(), has_threads);
  });
}

/// The threads of one block along one index.
struct Threads {
  Var var;
  std::int64_t extent = 0;  ///< 0: no loop is bound to the index
};

class Merger {
 public:
  /// `block` is the body of the innermost loop over blocks.
  Stmt merge(const Stmt& block) {
    for_each_stmt(block, [&](const Stmt& s) {
      if (const For* loop = as_threads(s)) add(*loop);
    });
    Stmt result = inside(block, {});
    for (std::size_t n = kIndices.size(); n-- > 0;) {
      if (threads_[n].extent > 0) result = make_for(threads_[n].var, 0, threads_[n].extent, kIndices[n], result);
    }
    return result;
  }

 private:
  using Used = std::array<bool, kIndices.size()>;

  static std::size_t number(LoopKind kind) {
    return static_cast<std::size_t>(std::find(kIndices.begin(), kIndices.end(), kind) - kIndices.begin());
  }

  void add(const For& loop) {
    const std::int64_t* extent = as_const_int(loop.extent);
    if (extent == nullptr) {
      throw LowerError(
          fmt::format("loop {} is bound to {} beside other loops over threads of its block, but its extent "
                      "is not constant: split it by the number of threads",
                      loop.var.name(), loop_kind_name(loop.kind)));
    }
    Threads& threads = threads_[number(loop.kind)];
    if (*extent > threads.extent) threads = {Var(loop.var.name()), *extent};
  }

  /// `s` inside all loops over threads; `used` are the indices of the loops that were around it.
  Stmt inside(const Stmt& s, const Used& used) {
    if (!s.defined()) return s;
    if (!has_threads(s)) return by_first(s, used);
    return std::visit(
        overloaded{[&](const For& n) {
                     if (!is_device_thread(n.kind)) {
                       return make_for(n.var, n.min, n.extent, n.kind, inside(n.body, used));
                     }
                     const Threads& threads = threads_[number(n.kind)];
                     Used with = used;
                     with[number(n.kind)] = true;
                     Stmt body = substitute(inside(n.body, with), {{n.var, threads.var}});
                     if (is_const_int(n.extent, threads.extent)) return body;
                     return make_if(likely(Expr(threads.var) < n.extent), std::move(body));
                   },
                   [&](const Block& n) {
                     std::vector<Stmt> parts, of_first;
                     for (const Stmt& part : n.stmts) {
                       if (!has_threads(part)) {
                         of_first.push_back(part);
                         continue;
                       }
                       parts.push_back(by_first(block(std::exchange(of_first, {})), used));
                       parts.push_back(inside(part, used));
                     }
                     parts.push_back(by_first(block(std::move(of_first)), used));
                     return block(std::move(parts));
                   },
                   [&](const Let& n) { return make_let(n.var, n.value, inside(n.body, used)); },
                   [&](const IfThenElse& n) {
                     Stmt then_case = inside(n.then_case, used);
                     return make_if(n.condition, std::move(then_case), inside(n.else_case, used));
                   },
                   [&](const Allocate& n) { return with_body(n, n.buffer, inside(n.body, used)); },
                   [&](const OneOf<Store, Prefetch, CommitCopies, Barrier, Launch, TensorInstruction> auto&) -> Stmt {
                     throw InternalError("internal error: a loop over threads inside a statement without body");
                   }},
        s.node().value);
  }

  /// `s`, restricted to the first thread along each index that is not `used`.
  Stmt by_first(const Stmt& s, const Used& used) const {
    if (!s.defined()) return s;
    Expr condition;
    for (std::size_t n = 0; n < kIndices.size(); ++n) {
      if (used[n] || threads_[n].extent <= 1) continue;
      const Expr first = Expr(threads_[n].var) < Expr(1);
      condition = condition.defined() ? condition && first : first;
    }
    return condition.defined() ? make_if(condition, s) : s;
  }

  std::array<Threads, kIndices.size()> threads_;
};

class BlockMutator final : public Mutator {
 public:
  using Mutator::mutate;
  Expr mutate(const Expr& e) override { return e; }
  Stmt mutate(const Stmt& s) override {
    const auto* loop = s.defined() ? s.as<For>() : nullptr;
    if (loop == nullptr || !is_block_index(loop->kind) || has_blocks(loop->body)) return mutate_children(s);
    if (!has_siblings(loop->body)) return s;
    return make_for(loop->var, loop->min, loop->extent, loop->kind, Merger().merge(loop->body));
  }
};

}  // namespace

Program merge_threads(Program program, PassContext&) {
  return on_kernels(std::move(program), [](const Stmt& body) { return BlockMutator().mutate(body); });
}

}  // namespace nestwright::passes
