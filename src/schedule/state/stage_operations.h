// Finds, makes and inserts stages of a schedule, and replaces their operations: operations are immutable, so caches and
// inlining substitute new ones. Internal to schedule/.
// Thread rule: that of the schedule.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/traversal/rewrite.h"
#include "schedule/state/state.h"

namespace nestwright {

/// Index of the stage that the user knows as `tensor`, or -1.
int find_stage(const ScheduleState& state, const Tensor& tensor);

/// The unique name of a stage or an input of the schedule, followed by the number of the result where the stage has
/// several: T.v1. Empty where `tensor` is neither.
std::string tensor_name(const ScheduleState& state, const Tensor& tensor);

/// `name` itself, or `name` with the smallest number appended that makes it unique among stages and inputs.
std::string unique_name(const ScheduleState& state, const std::string& name);

/// Whether a body of `op` loads from `buffer`.
bool reads(const ComputeOp& op, const Buffer& buffer);

/// `op` with every load of `buffer` in its bodies replaced by `replacement(indices)`.
ComputeOp replace_loads(ComputeOp op, const Buffer& buffer,
                        const std::function<Expr(const std::vector<Expr>&)>& replacement);

/// `op` with the variables of its bodies replaced.
ComputeOp substitute(ComputeOp op, const ir::Substitution& values);

/// The operation that computes `op` into `results`. Its inputs are the operations of the schedule that the bodies read.
Operation make_operation(const ScheduleState& state, std::string name, ComputeOp op, std::vector<Buffer> results);

/// An unscheduled stage: its loops are the axes of the operation.
StageState make_stage(std::string name, Operation op);

/// Inserts a stage before the one at `index` and renumbers all references to stages. A stage that belongs to a step of
/// a scan is attached to that step.
void insert_stage(ScheduleState& state, int index, StageState stage);

/// Gives a stage a new operation with the same results, which becomes the input of every reader.
void replace_operation(ScheduleState& state, int index, ComputeOp op);

}  // namespace nestwright
