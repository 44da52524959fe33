#include "nestwright/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "expression/check_reads.h"
#include "expression/scan_steps.h"
#include "ir/simplify/inequality.h"
#include "ir/simplify/simplify.h"
#include "ir/traversal/equal.h"
#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"
#include "nestwright/program.h"
#include "schedule/state/scan_parts.h"
#include "schedule/state/stage_operations.h"
#include "schedule/state/state.h"

namespace nestwright {
namespace {

void collect_states(const Operation& op, std::set<Operation>& seen, std::set<Buffer>& states) {
  if (!seen.insert(op).second) return;
  if (op.scan() != nullptr) states.insert(op.scan()->states.begin(), op.scan()->states.end());
  for (const Operation& input : op->inputs) collect_states(input, seen, states);
}

/// Appends the producers of `op` and then `op` itself, each operation once.
void collect(const Operation& op, const std::set<Buffer>& states, std::set<Operation>& seen, ScheduleState& state) {
  if (!seen.insert(op).second) return;
  for (const Operation& input : op->inputs) collect(input, states, seen, state);
  const std::string name = unique_name(state, op->name);
  if (!op.is_placeholder()) {
    state.stages.push_back(make_stage(name, op));
  } else if (states.count(op->results.front()) != 0) {
    state.states.emplace_back(op);
    state.state_names.push_back(name);
  } else {
    state.inputs.emplace_back(op);
    state.input_names.push_back(name);
  }
}

/// Whether the domains of `part` are certainly inside of those of `whole`.
bool are_part(const std::vector<IterVar>& part, const std::vector<IterVar>& whole) {
  for (std::size_t a = 0; a < whole.size(); ++a) {
    const Expr end = part[a].min() + part[a].extent();
    if (!ir::prove(part[a].min() >= whole[a].min() && end <= whole[a].min() + whole[a].extent(), {})) return false;
  }
  return true;
}

/// The axes of a stage's operation, with the domains that it is computed over. For a stage in a scan's steps these
/// cover all steps; for a stage that only the steps read, they are what the steps read.
std::vector<IterVar> computed_axes(const ScheduleState& state, int stage) {
  const Operation& op = state.stages[static_cast<std::size_t>(stage)].op;
  const ScanPlace place = scan_place(state, stage);
  for (std::size_t s = 0; place.part == ScanPart::kNone && s < state.stages.size(); ++s) {
    if (state.stages[s].op.scan() == nullptr) continue;
    const std::vector<int> feeders = feeders_of(state, static_cast<int>(s));
    if (std::find(feeders.begin(), feeders.end(), stage) == feeders.end()) continue;
    std::vector<Operation> operations;
    for (const int feeder : feeders) operations.push_back(state.stages[static_cast<std::size_t>(feeder)].op);
    std::vector<IterVar> read = step_axes(op, step_offsets(state.stages[s].op, operations), *state.stages[s].op.scan());
    if (are_part(read, op.compute()->axes)) return read;
  }
  if (!place.is_in_step()) return op.compute()->axes;
  const Operation& scan = state.stages[static_cast<std::size_t>(place.scan)].op;
  return step_axes(op, step_offsets(scan), *scan.scan());
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

void add_requirement(ScheduleState& state, ir::Requirement needed) {
  const auto is_known = [&](const ir::Requirement& known) { return ir::equal(known.slack, needed.slack); };
  if (std::none_of(state.requirements.begin(), state.requirements.end(), is_known))
    state.requirements.push_back(std::move(needed));
}

/// Requires symbolic spatial extents to be at least 0, and symbolic reduction extents to be at least 1.
void require_extents(const ComputeOp& op, ScheduleState& state) {
  for (const auto* axes : {&op.axes, &op.reduce_axes}) {
    for (const IterVar& axis : *axes) {
      if (ir::as_const_int(axis.extent()) != nullptr || axis.is_time()) continue;
      const std::int64_t least = axis.is_reduce() ? 1 : 0;
      ir::Ranges ranges;
      ir::for_each_expr(axis.extent(), [&](const Expr& part) {
        if (const auto* ref = part.as<ir::VarRef>()) ranges.bind(ref->var, {1, ir::Interval::kMax});
      });
      const Expr slack = ir::simplify(axis.extent() - least, ranges);
      if (ir::non_negative(slack, ranges)) continue;
      add_requirement(state, {slack, fmt::format("the extent of axis '{}', {}, is below {}", axis.name(),
                                                 ir::to_string(axis.extent()), least)});
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
SplitSize nparts(std::int64_t max_parts) { return {{}, max_parts}; }

Schedule::Schedule(std::vector<Tensor> outputs) : state_(std::make_unique<ScheduleState>()) {
  if (outputs.empty()) throw UsageError("a schedule needs an output");
  std::set<Operation> seen, looked_at;
  std::set<Buffer> states;
  for (const Tensor& output : outputs) {
    if (output.defined()) collect_states(output.op(), looked_at, states);
  }
  for (const Tensor& output : outputs) {
    if (!output.defined()) throw UsageError("an output of a schedule is undefined: make it by compute");
    if (output.op().is_placeholder()) {
      throw UsageError(fmt::format("'{}' is a placeholder: the output of a schedule is computed", output.name()));
    }
    if (std::count(outputs.begin(), outputs.end(), output) > 1) {
      throw UsageError(fmt::format("'{}' is named twice among the outputs of a schedule", output.name()));
    }
    collect(output.op(), states, seen, *state_);
  }
  for (const Tensor& output : outputs) {
    state_->stages[static_cast<std::size_t>(state_->find(output.op()))].is_output = true;
  }
  require_own_reduce_axes(*state_);
  state_->outputs = std::move(outputs);
  check_scans(*state_);
  for (std::size_t s = 0; s < state_->stages.size(); ++s) {
    const ComputeOp& op = *state_->stages[s].op.compute();
    const std::vector<IterVar> axes = computed_axes(*state_, static_cast<int>(s));
    require_extents(op, *state_);
    const bool is_init = scan_place(*state_, static_cast<int>(s)).part == ScanPart::kInit;
    for (const Expr& e : op.operands()) {
      for (ir::Requirement& needed : check_reads(state_->stages[s].name, axes, op.reduce_axes, e)) {
        // A scan of few steps reads only the first rows of its init, so reads of init are not requirements.
        if (!is_init) add_requirement(*state_, std::move(needed));
      }
    }
    attach_to_steps(*state_, static_cast<int>(s));
  }
}

Schedule::Schedule(Schedule&&) noexcept = default;
Schedule& Schedule::operator=(Schedule&&) noexcept = default;
Schedule::~Schedule() = default;

Stage Schedule::operator[](const Tensor& tensor) {
  if (!tensor.defined()) throw ScheduleError("stage", "a tensor", "it is undefined");
  ScheduleState& state = own_state();
  if (find_stage(state, tensor) < 0) {
    throw ScheduleError("stage", tensor.name(),
                        tensor.op().is_placeholder()
                            ? "it is a placeholder, which has no loops: cache_read makes a copy that has"
                            : "it is no part of this schedule");
  }
  return {&state, tensor};
}

const ScheduleState& Schedule::state() const {
  if (state_ == nullptr) throw UsageError("this schedule was moved from: use the one that it was moved to");
  return *state_;
}

ScheduleState& Schedule::own_state() {
  state();  // throws where there is none
  return *state_;
}

const Trace& Schedule::trace() const { return state().trace; }

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
