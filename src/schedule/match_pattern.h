// Whether the nest below a loop computes what an intrinsic does. Internal to the library: tensorize asks before it
// changes anything, the lowering asks again, for what a stage reads may have changed since.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

#include "schedule/state.h"

namespace nestwright {

struct PatternMatch {
  std::vector<Expr> loads;  ///< of the stage's body, one an input of the pattern
  std::string difference;   ///< what differs; empty where they match
};

/// The spatial loops of `stage` from `loop` on are the pattern's axes, in order, the loops of the reduction its reduce
/// axes; what the body reads starts anywhere, but moves with these loops as in the pattern.
PatternMatch match_pattern(const StageState& stage, const IterVar& loop, const TensorIntrinsic& intrinsic);

}  // namespace nestwright
