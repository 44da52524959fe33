#include "lower/support/unroll_limit.h"

#include <fmt/format.h>

#include "ir/core/one_of.h"
#include "ir/traversal/linear.h"
#include "nestwright/error.h"

namespace nestwright {

using namespace ir;

namespace {

// The number of statements that `s` unrolls to. Throws LowerError for the innermost loop that exceeds kMaxUnrolled.
std::int64_t unrolled_statements(const Stmt& s) {
  if (!s.defined()) return 0;
  return std::visit(
      overloaded{
          [](const For& n) {
            const std::int64_t body = unrolled_statements(n.body);
            if (n.kind != LoopKind::kUnrolled) return body;
            std::int64_t all = 0;
            const bool overflow = __builtin_mul_overflow(body, unrolled_extent(n), &all);
            if (overflow || all > kMaxUnrolled) {
              throw LowerError(fmt::format("loop {} unrolls to {} statements, at most {} are allowed: unroll less",
                                           n.var.name(), all, kMaxUnrolled));
            }
            return all;
          },
          [](const Block& n) {
            std::int64_t sum = 0;
            for (const Stmt& child : n.stmts) sum += unrolled_statements(child);
            return sum;
          },
          [](const Let& n) { return unrolled_statements(n.body); },
          [](const IfThenElse& n) { return unrolled_statements(n.then_case) + unrolled_statements(n.else_case); },
          [](const Allocate& n) { return unrolled_statements(n.body); },
          [](const OneOf<Store, Prefetch, CommitCopies, Barrier, Launch, TensorInstruction> auto&) {
            return std::int64_t{1};
          }},
      s.node().value);
}

}  // namespace

std::int64_t unrolled_extent(const For& loop) {
  const Linear extent = to_linear(loop.extent);
  if (!extent.is_constant()) {
    throw LowerError(fmt::format("loop {} cannot be unrolled: its extent is not constant; split it by a constant first",
                                 loop.var.name()));
  }
  return extent.constant;
}

void limit_unrolling(const Stmt& body) { unrolled_statements(body); }

}  // namespace nestwright
