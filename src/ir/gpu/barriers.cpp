#include "ir/gpu/barriers.h"

#include <algorithm>

#include "ir/core/one_of.h"
#include "ir/traversal/rewrite.h"

namespace nestwright::ir {

bool has_barrier(const Stmt& s) {
  return any_stmt(s, [](const Stmt& inner) { return inner.as<Barrier>() != nullptr; });
}

bool always_runs(const For& loop) {
  const std::int64_t* extent = as_const_int(loop.extent);
  return extent != nullptr && *extent > 0;
}

bool always_reaches_barrier(const Stmt& s) {
  if (!s.defined()) return false;
  return std::visit(
      overloaded{[](const Block& n) { return std::any_of(n.stmts.begin(), n.stmts.end(), always_reaches_barrier); },
                 [](const Let& n) { return always_reaches_barrier(n.body); },
                 [](const Allocate& n) { return always_reaches_barrier(n.body); },
                 [](const For& n) { return always_runs(n) && always_reaches_barrier(n.body); },
                 [](const Barrier&) { return true; },
                 [](const OneOf<IfThenElse, Store, Prefetch, CommitCopies, Launch, TensorInstruction> auto&) {
                   return false;
                 }},
      s.node().value);
}

}  // namespace nestwright::ir
