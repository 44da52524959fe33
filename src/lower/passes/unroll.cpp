#include <fmt/format.h>

#include "ir/core/linear.h"
#include "ir/core/one_of.h"
#include "lower/copier.h"
#include "lower/passes.h"
#include "support/error.h"

namespace nestwright::passes {
namespace {

using namespace ir;

std::int64_t constant_extent(const For& loop) {
  const Linear extent = to_linear(loop.extent);
  if (!extent.is_constant()) {
    throw LowerError(fmt::format("loop {} cannot be unrolled: its extent is not constant; split it by a constant first",
                                 loop.var.name()));
  }
  return extent.constant;
}

// The number of statements that `s` unrolls to. Throws LowerError for the innermost loop that exceeds kMaxUnrolled.
std::int64_t count(const Stmt& s) {
  if (!s.defined()) return 0;
  return std::visit(
      overloaded{[](const For& n) {
                   const std::int64_t body = count(n.body);
                   if (n.kind != LoopKind::kUnrolled) return body;
                   std::int64_t all = 0;
                   const bool overflow = __builtin_mul_overflow(body, constant_extent(n), &all);
                   if (overflow || all > kMaxUnrolled) {
                     throw LowerError(
                         fmt::format("loop {} unrolls to {} statements, at most {} are allowed: unroll less",
                                     n.var.name(), all, kMaxUnrolled));
                   }
                   return all;
                 },
                 [](const Block& n) {
                   std::int64_t sum = 0;
                   for (const Stmt& child : n.stmts) sum += count(child);
                   return sum;
                 },
                 [](const Let& n) { return count(n.body); },
                 [](const IfThenElse& n) { return count(n.then_case) + count(n.else_case); },
                 [](const Allocate& n) { return count(n.body); },
                 [](const OneOf<Store, Prefetch, CommitCopies, Barrier, Launch, TensorInstruction> auto&) {
                   return std::int64_t{1};
                 }},
      s.node().value);
}

class Unroller final : public Copier {
 public:
  Unroller() : Copier({}, false) {}
  using Copier::mutate;

  Stmt mutate(const Stmt& s) override {
    const auto* loop = s.defined() ? s.as<For>() : nullptr;
    if (loop == nullptr || loop->kind != LoopKind::kUnrolled) return Copier::mutate(s);
    const Expr first = Copier::mutate(loop->min);
    const std::int64_t extent = constant_extent(*loop);
    const bool fresh = fresh_;
    std::vector<Stmt> copies;
    for (std::int64_t i = 0; i < extent; ++i) {
      fresh_ = fresh || i > 0;
      with_[loop->var] = first + Expr(i);
      copies.push_back(mutate(loop->body));
    }
    with_.erase(loop->var);
    fresh_ = fresh;
    return block(std::move(copies));
  }
};

}  // namespace

void limit_unrolling(const Stmt& body) { count(body); }

Program unroll(Program program, PassContext&) {
  return on_kernels(std::move(program), [](const Stmt& body) {
    limit_unrolling(body);
    return Unroller().mutate(body);
  });
}

}  // namespace nestwright::passes
