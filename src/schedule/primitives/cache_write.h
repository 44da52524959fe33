// The two halves of cache_write. Internal to schedule/.
// Thread rule: as for the schedule.
#pragma once

#include "schedule/primitives/primitive.h"

namespace nestwright {

/// The stage's computation over fresh spatial axes, stored to a buffer named `name`; its reduce axes are the same ones.
Operation make_tile(const ScheduleState& state, const StageState& stage, const std::string& name, ir::Scope scope);
/// What is left to the stage: C[i, j] = tile[i, j], over the stage's own axes.
ComputeOp make_copy_out(const StageState& stage, const Operation& tile);

/// cache_write below a loop of the reduction (cache_write_below.cpp).
Tensor cache_write_below(const Primitive& primitive, ir::Scope scope, const IterVar& below);

}  // namespace nestwright
