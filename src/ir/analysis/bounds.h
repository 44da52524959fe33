// The proofs below the simplifier: bounds of sums and truth of conditions, on expressions as they stand.
// Thread rule: pure functions.
#pragma once

#include "ir/analysis/ranges.h"

namespace nestwright::ir {

/// Bounds of an integer or bool expression by the intervals of its variables alone; of a vector, around all its lanes.
Interval interval_bounds(const Expr& e, const Ranges& ranges);
Interval interval_bounds(const Linear& sum, const Ranges& ranges);
/// The same, tightened by each fact that shares a term with `e`.
Interval bounds(const Expr& e, const Ranges& ranges);

/// True only where sum >= goal for every value in `ranges`: intervals first, then known facts, symbolic bounds of its
/// variables (inside products too), quotients multiplied out and the cases of min and max, `effort` of these steps
/// deep.
bool at_least(const Linear& sum, std::int64_t goal, const Ranges& ranges, int effort = 4);

/// True only where the bool `condition` (every lane of it) is `wanted` for every value in `ranges`.
bool always(const Expr& condition, bool wanted, const Ranges& ranges, int effort = 4);

/// The comparison that holds where `op` does not (on integers).
BinaryOp opposite(BinaryOp op);

/// Takes a vector of indices of the form base + stride * lane apart; scalars and broadcasts have stride 0. False for
/// others.
bool as_ramp(const Expr& e, Expr& base, Expr& stride);

}  // namespace nestwright::ir
