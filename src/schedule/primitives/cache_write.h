// The two operations that cache_write makes out of one. Internal to schedule/.
// Thread rule: as for the schedule.
#pragma once

#include "schedule/primitives/primitive.h"

namespace nestwright {

/// The stage's computation over fresh spatial axes, stored to a buffer named `name`. The reduce axes are reused.
Operation make_tile(const ScheduleState& state, const StageState& stage, const std::string& name, ir::Scope scope);
/// The stage's remaining work: C[i, j] = tile[i, j], over its own axes.
ComputeOp make_copy_out(const StageState& stage, const Operation& tile);

/// Moves all reduction loops but `below`, which may be undefined, from stage number `copy`, which copies the tile out,
/// to the tile's stage, number `copy` - 1. Their relations, annotations, pragmas and attached stages move with them.
void move_reduction(ScheduleState& state, int copy, const IterVar& below);

/// cache_write below a loop of the reduction; see cache_write_below.cpp.
Tensor cache_write_below(const Primitive& primitive, ir::Scope scope, const IterVar& below);

}  // namespace nestwright
