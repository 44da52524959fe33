// Matches the loops of a stage against the pattern of a tensor intrinsic. Internal to the library: tensorize checks the
// match before it changes anything, and the lowering checks again, as the operands of the stage may have changed since.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

#include "schedule/state/state.h"

namespace nestwright {

struct PatternMatch {
  std::vector<Expr> loads;    ///< of the stage's body, one for each input of the pattern
  std::vector<Expr> scalars;  ///< of the stage's body, one for each scalar of the intrinsic
  std::string difference;     ///< what differs; empty where they match
};

/// Matches where, from `loop` inwards, the spatial loops of `stage` are the pattern's axes in order and its reduction
/// loops are the pattern's reduce axes. Operands may start at any index but must move with these loops as the pattern's
/// do.
PatternMatch match_pattern(const StageState& stage, const IterVar& loop, const TensorIntrinsic& intrinsic);

}  // namespace nestwright
