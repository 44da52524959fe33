#include "lower/support/ranges_mutator.h"

#include <cstdint>
#include <limits>

namespace nestwright {

ir::Stmt RangesMutator::mutate_inside(const ir::Stmt& s) {
  if (!s.defined()) return s;
  // An upper bound on the blocks and threads of any device.
  constexpr std::int64_t kMaxThreads = std::numeric_limits<std::int32_t>::max();
  if (const auto* loop = s.as<ir::For>()) {
    known_.bind(loop->var, loop->min, loop->extent);
    if (ir::is_bound(loop->kind)) known_.assume(ir::Expr(loop->var) <= ir::Expr(kMaxThreads));
  }
  if (const auto* let = s.as<ir::Let>(); let != nullptr && let->var.type() == kIndex) {
    known_.bind(let->var, let->value, ir::Expr(1));
  }
  const auto* choice = s.as<ir::IfThenElse>();
  return choice != nullptr ? mutate_branches(*choice, s) : mutate_children(s);
}

ir::Stmt RangesMutator::mutate_branches(const ir::IfThenElse& choice, const ir::Stmt& s) {
  const ir::Ranges outside = known_;
  const ir::Expr condition = mutate(choice.condition);
  known_.assume(choice.condition);
  ir::Stmt then_case = mutate(choice.then_case);
  known_ = outside;
  known_.assume_not(choice.condition);
  ir::Stmt else_case = mutate(choice.else_case);
  known_ = outside;
  const bool is_same =
      condition.same_as(choice.condition) && then_case.same_as(choice.then_case) && else_case.same_as(choice.else_case);
  return is_same ? s : ir::make_if(condition, std::move(then_case), std::move(else_case));
}

}  // namespace nestwright
