#include <fmt/format.h>

#include <set>

#include "expression/scan_steps.h"
#include "ir/core/intrinsic_table.h"
#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"
#include "nestwright/tensor.h"

namespace nestwright {
namespace {

double constant_extent(const IterVar& axis, const Operation& op) {
  const std::int64_t* extent = ir::as_const_int(axis.extent());
  if (extent == nullptr) {
    throw UsageError(fmt::format("the operations of tensor '{}' cannot be counted: the extent of axis '{}' is symbolic",
                                 op->name, axis.name()));
  }
  return static_cast<double>(*extent);
}

/// Counts the arithmetic of one evaluation of a body. Indices and conditions depend on the schedule and do not count.
class Counter : public ir::Visitor {
 public:
  using Visitor::visit;
  void visit(const Expr& e) override {
    if (e.as<ir::Load>() != nullptr) return;
    if (const auto* select = e.as<ir::Select>()) {
      visit(select->if_true);
      visit(select->if_false);
      return;
    }
    if (e.as<ir::Binary>() != nullptr || e.as<ir::CallExtern>() != nullptr) ++count;
    if (const auto* call = e.as<ir::Call>()) count += ir::intrinsic_info(call->intrinsic).operations;
    visit_children(e);
  }
  double count = 0;
};

/// `axes` are those of the operation, with the domains that it is computed over.
double flops_of(const Operation& op, const std::vector<IterVar>& axes) {
  const ComputeOp* compute = op.compute();
  Counter counter;
  const ir::Reduce* reduce = compute->reduction();
  for (const Expr& value : compute->values()) counter.visit(value);
  if (reduce != nullptr && reduce->combiner != nullptr) {
    for (const Expr& combined : reduce->combiner->combined) counter.visit(combined);
  } else if (reduce != nullptr) {
    ++counter.count;  // the combination
  }
  double result = counter.count;
  for (const IterVar& axis : axes) result *= constant_extent(axis, op);
  for (const IterVar& axis : compute->reduce_axes) result *= constant_extent(axis, op);
  return result;
}

double flops_of(const Operation& op, std::set<Operation>& seen) {
  if (op.is_placeholder() || !seen.insert(op).second) return 0;
  double result = 0;
  if (op.scan() != nullptr) {
    const StepOffsets steps = step_offsets(op);
    std::vector<Operation> fresh;
    for (const auto& [step, offsets] : steps) {
      if (seen.insert(step).second) fresh.push_back(step);
    }
    for (const Operation& step : fresh) {
      result += flops_of(step, step_axes(step, steps, *op.scan()));
      for (const Operation& input : step->inputs) result += flops_of(input, seen);
    }
  } else {
    result = flops_of(op, op.compute()->axes);
  }
  for (const Operation& input : op->inputs) result += flops_of(input, seen);
  return result;
}

}  // namespace

double count_flops(const Tensor& output) { return count_flops(std::span(&output, 1)); }

double count_flops(std::span<const Tensor> outputs) {
  std::set<Operation> seen;
  double flops = 0;
  for (const Tensor& output : outputs) flops += flops_of(output.op(), seen);
  return flops;
}

}  // namespace nestwright
