#include "reference/plain_run.h"

#include <algorithm>

#include "ir/traversal/rewrite.h"
#include "nestwright/build.h"
#include "nestwright/error.h"
#include "nestwright/schedule.h"
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

Schedule schedule_of(const std::vector<Tensor>& outputs) {
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

}  // namespace

std::vector<Array> run_plainly(const std::vector<Tensor>& inputs, const std::vector<const Array*>& values,
                               const std::vector<Tensor>& outputs) {
  std::vector<Tensor> args = inputs;
  args.insert(args.end(), outputs.begin(), outputs.end());
  std::vector<Array> results;
  for (const Tensor& output : outputs) {
    results.push_back(Array::empty(output.dtype(), ir::constants_of(passed_shape(output))));
  }
  std::vector<ArrayRef> arguments;
  for (const Array* value : values) arguments.emplace_back(*value);
  for (Array& result : results) arguments.emplace_back(result);
  build(schedule_of(outputs), args, Target::host(), "plain").call(arguments);
  return results;
}

}  // namespace nestwright
