// Moves allocations in shared scope outside the loops of the threads that share them; the nest builder puts them where
// they are computed, inside.
//
//   threadIdx.x i in 0..8:                 shared T[8]
//     shared T[8]                          threadIdx.x i in 0..8:
//     T[i] = A[i]                    ->      T[i] = A[i]
//     C[i] = T[7 - i]                        C[i] = T[7 - i]
#include <fmt/format.h>

#include "ir/traversal/rewrite.h"
#include "lower/passes.h"
#include "nestwright/error.h"

namespace nestwright::passes {
namespace {

using namespace ir;

class Hoister final : public Mutator {
 public:
  using Mutator::mutate;
  Expr mutate(const Expr& e) override { return e; }
  Stmt mutate(const Stmt& s) override {
    const auto* loop = s.defined() ? s.as<For>() : nullptr;
    if (loop != nullptr && is_thread_index(loop->kind) && !in_threads_) return around(s);
    const auto* allocate = s.defined() ? s.as<Allocate>() : nullptr;
    if (allocate == nullptr || allocate->buffer->scope != Scope::kShared || !in_threads_) return mutate_children(s);
    Stmt body = mutate(allocate->body);
    shared_.push_back(allocate->buffer);
    return body;
  }

 private:
  /// `threads` is the outermost loop over threads.
  Stmt around(const Stmt& threads) {
    in_threads_ = true;
    Stmt result = mutate_children(threads);
    in_threads_ = false;
    if (!shared_.empty()) for_each_stmt(result, [&](const Stmt& s) { refuse_blocks(s); });
    for (auto buffer = shared_.rbegin(); buffer != shared_.rend(); ++buffer) {
      result = make_allocate(*buffer, std::move(result));
    }
    shared_.clear();
    return result;
  }

  void refuse_blocks(const Stmt& s) const {
    const auto* loop = s.as<For>();
    if (loop == nullptr || !is_block_index(loop->kind)) return;
    throw LowerError(
        fmt::format("loop {} is bound to {} inside a loop over threads, which share {}: reorder the loops over blocks "
                    "outermost",
                    loop->var.name(), loop_kind_name(loop->kind), shared_.front()->name));
  }

  bool in_threads_ = false;
  std::vector<Buffer> shared_;
};

}  // namespace

Program hoist_shared(Program program, PassContext&) {
  return on_kernels(std::move(program), [](const Stmt& body) { return Hoister().mutate(body); });
}

}  // namespace nestwright::passes
