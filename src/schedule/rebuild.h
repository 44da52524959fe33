// Rebuilding operations: they are immutable, so caches and inlining put new ones in their place. Internal to schedule/.
// Thread rule: as for the schedule.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/core/rewrite.h"
#include "schedule/state.h"

namespace nestwright {

/// Stage that the user knows as `tensor`, or -1.
int find_stage(const ScheduleState& state, const Tensor& tensor);

/// The unique name of a stage or an input of the schedule, with the result's number where a stage has several: T.v1.
/// Empty where `tensor` is neither.
std::string tensor_name(const ScheduleState& state, const Tensor& tensor);

/// `name`, or with the first number appended that makes it unique among stages and inputs.
std::string unique_name(const ScheduleState& state, const std::string& name);

/// True where a body of `op` loads from `buffer`.
bool reads(const ComputeOp& op, const Buffer& buffer);

/// `op` with every load of `buffer` in its bodies replaced by `replacement(indices)`.
ComputeOp replace_loads(ComputeOp op, const Buffer& buffer,
                        const std::function<Expr(const std::vector<Expr>&)>& replacement);

/// `op` with variables of its bodies replaced.
ComputeOp substitute(ComputeOp op, const ir::Substitution& values);

/// The operation that computes `op` into `results`. Its inputs are the schedule's operations that the bodies read.
Operation make_operation(const ScheduleState& state, std::string name, ComputeOp op, std::vector<Buffer> results);

/// A stage with the operation's axes as loops, nothing done to it.
StageState make_stage(std::string name, Operation op);

/// Adds a stage before the one at `index` and renumbers what refers to stages. In a step of a scan it is computed
/// there.
void insert_stage(ScheduleState& state, int index, StageState stage);

/// Gives a stage a new operation with the same results, and every stage that reads it the new input.
void replace_operation(ScheduleState& state, int index, ComputeOp op);

}  // namespace nestwright
