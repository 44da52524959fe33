// How often the loops of a stage run, which a split by a factor above the extent leaves open. Internal to the library.
// Thread rule: that of the schedule.
#pragma once

#include <map>

#include "schedule/state/state.h"

namespace nestwright {

/// The iterations of each axis and loop of a stage where it computes its whole tensor, as the lowering makes the loops.
/// They are fewer than the extent of a loop inside a split whose factor exceeds what is split: of 12 rows split by 100,
/// the inner loop has the extent 100 and 12 iterations. A loop that is bound to threads has a thread for each index in
/// its extent all the same.
std::map<IterVar, Expr> iteration_counts(const StageState& stage);

}  // namespace nestwright
