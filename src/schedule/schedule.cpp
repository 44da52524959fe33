#include "schedule/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "expression/check_reads.h"
#include "schedule/rebuild.h"
#include "schedule/state.h"
#include "support/error.h"

namespace nestwright {
namespace {

/// Adds what `op` reads and then `op` itself, each operation once.
void collect(const Operation& op, std::set<Operation>& seen, ScheduleState& state) {
  if (!seen.insert(op).second) return;
  for (const Operation& input : op->inputs) collect(input, seen, state);
  if (op.is_placeholder()) {
    state.inputs.emplace_back(op);
    state.input_names.push_back(unique_name(state, op->name));
  } else {
    state.stages.push_back(make_stage(unique_name(state, op->name), op));
  }
}

void require_own_reduce_axes(const ScheduleState& state) {
  std::map<IterVar, std::string> owner;
  for (const StageState& stage : state.stages) {
    for (const IterVar& axis : stage.op.compute()->reduce_axes) {
      const auto [it, fresh] = owner.emplace(axis, stage.name);
      if (!fresh) {
        throw UsageError(fmt::format("reduce axis '{}' is used by both {} and {}: make one for each tensor",
                                     axis.name(), it->second, stage.name));
      }
    }
  }
}

const StageState& stage_of(const ScheduleState& state, const Tensor& origin) {
  return state.stages[static_cast<std::size_t>(find_stage(state, origin))];
}

const IterVar& axis_at(const std::vector<IterVar>& axes, int i, const char* kind, const std::string& stage) {
  if (i < 0 || i >= static_cast<int>(axes.size())) {
    throw UsageError(fmt::format("{} has {} {} axes: there is no number {}", stage, axes.size(), kind, i));
  }
  return axes[static_cast<std::size_t>(i)];
}

}  // namespace

SplitSize factor(std::int64_t inner_extent) { return {{inner_extent}, 0}; }
SplitSize nparts(std::int64_t outer_extent) { return {{}, outer_extent}; }

Schedule::Schedule(std::vector<Tensor> outputs) : state_(std::make_unique<ScheduleState>()) {
  if (outputs.empty()) throw UsageError("a schedule needs an output");
  std::set<Operation> seen;
  for (const Tensor& output : outputs) {
    if (!output.defined()) throw UsageError("an output of a schedule is undefined: make it by compute");
    if (output.op().is_placeholder()) {
      throw UsageError(fmt::format("'{}' is a placeholder: the output of a schedule is computed", output.name()));
    }
    if (std::count(outputs.begin(), outputs.end(), output) > 1) {
      throw UsageError(fmt::format("'{}' is named twice among the outputs of a schedule", output.name()));
    }
    collect(output.op(), seen, *state_);
  }
  for (const Tensor& output : outputs) {
    state_->stages[static_cast<std::size_t>(state_->find(output.op()))].is_output = true;
  }
  require_own_reduce_axes(*state_);
  for (const StageState& stage : state_->stages) {
    const ComputeOp& op = *stage.op.compute();
    for (const Expr& body : op.bodies) check_reads(stage.name, op.axes, op.reduce_axes, body);
  }
  state_->outputs = std::move(outputs);
}

Schedule::Schedule(Schedule&&) noexcept = default;
Schedule& Schedule::operator=(Schedule&&) noexcept = default;
Schedule::~Schedule() = default;

Stage Schedule::operator[](const Tensor& tensor) {
  if (!tensor.defined()) throw ScheduleError("stage", "a tensor", "it is undefined");
  if (find_stage(*state_, tensor) < 0) {
    throw ScheduleError("stage", tensor.name(),
                        tensor.op().is_placeholder()
                            ? "it is a placeholder, which has no loops: cache_read makes a copy that has"
                            : "it is no part of this schedule");
  }
  return {state_.get(), tensor};
}

const Trace& Schedule::trace() const { return state_->trace; }

IterVar Stage::axis(int i) const {
  const StageState& stage = stage_of(*state_, origin_);
  return axis_at(stage.op.compute()->axes, i, "spatial", stage.name);
}

IterVar Stage::reduce_axis(int i) const {
  const StageState& stage = stage_of(*state_, origin_);
  return axis_at(stage.op.compute()->reduce_axes, i, "reduce", stage.name);
}

std::vector<IterVar> Stage::loops() const { return stage_of(*state_, origin_).leaves; }

Tensor Stage::tensor() const { return origin_; }

Schedule create_schedule(const Tensor& output) { return Schedule({output}); }
Schedule create_schedule(std::vector<Tensor> outputs) { return Schedule(std::move(outputs)); }

}  // namespace nestwright
