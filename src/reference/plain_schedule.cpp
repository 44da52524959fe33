#include "reference/plain_schedule.h"

#include <algorithm>

#include "ir/traversal/rewrite.h"
#include "reference/double_program.h"

namespace nestwright {
namespace {

/// Whether at least as many reads have the axis in their last index as have `other`.
bool runs_along(const ComputeOp& op, const IterVar& axis, const IterVar& other) {
  int reads = 0;
  for (const Expr& value : op.values()) {
    ir::for_each_expr(value, [&](const Expr& e) {
      const auto* const load = e.as<ir::Load>();
      if (load == nullptr || load->indices.empty()) return;
      const auto uses = [&](const IterVar& used) {
        return ir::any_expr(load->indices.back(), [&](const Expr& part) { return part.same_as(Expr(used)); }) ? 1 : 0;
      };
      reads += uses(axis) - uses(other);
    });
  }
  return reads >= 0;
}

}  // namespace

Schedule plain_schedule(const std::vector<Tensor>& outputs) {
  Schedule schedule = create_schedule(outputs);
  for (const Operation& op : computes_of(outputs)) {
    std::vector<IterVar> outer = op.compute()->axes;
    if (outer.empty()) continue;
    Stage stage = schedule[Tensor(op)];
    const std::vector<IterVar>& reduced = op.compute()->reduce_axes;
    const IterVar last = outer.back();
    if (!reduced.empty() && outer.size() > 1 && runs_along(*op.compute(), last, reduced.back())) {
      outer.pop_back();
      std::vector<IterVar> loops = outer;
      loops.insert(loops.end(), reduced.begin(), reduced.end());
      loops.push_back(last);
      stage.reorder(loops);
    }
    stage.parallel(outer.front());
  }
  return schedule;
}

}  // namespace nestwright
