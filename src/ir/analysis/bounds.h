// The prover: computes bounds of integer expressions, and proves inequalities and conditions for all values in a
// Ranges. Three clients build on it: the simplifier, which rewrites expressions until they are provable (simplify.h),
// the verifier (inequality.h, which combines several facts) and the nest builder (lower/nest/facts.h).
//
// What each entry point draws on:
//   interval_bounds    the intervals of variables
//   bounds             intervals, and one fact at a time
//   at_least           intervals; with `effort` >= 1 also one fact, and `effort` rewriting steps of the sum
//   is_always_true     at_least, on the comparisons that the condition consists of
// Thread rule: pure functions. Units: none, all values are those of the expressions.
#pragma once

#include "ir/analysis/ranges.h"

namespace nestwright::ir {

/// Bounds of an integer or bool expression by the intervals of its variables alone; of a vector, around all its lanes.
Interval interval_bounds(const Expr& e, const Ranges& ranges);
Interval interval_bounds(const Linear& sum, const Ranges& ranges);
/// The same, tightened by each fact that shares a term with `e`.
Interval bounds(const Expr& e, const Ranges& ranges);

/// True only where sum >= goal for every value in `ranges`. Effort 0 uses intervals alone. Effort n also uses each fact
/// by itself, and tries with effort n - 1 every sum that one rewriting step makes: it replaces a variable (also as a
/// factor of a product) or a remainder by its bound, or a min or max by its operands, or multiplies out a quotient.
bool at_least(const Linear& sum, std::int64_t goal, const Ranges& ranges, int effort = 4);

/// True only where the bool `condition` holds in every lane for every value in `ranges`.
bool is_always_true(const Expr& condition, const Ranges& ranges, int effort = 4);
/// True only where it holds in no lane for any value in `ranges`.
bool is_always_false(const Expr& condition, const Ranges& ranges, int effort = 4);

/// The comparison that holds on integers exactly where `op` does not.
BinaryOp opposite(BinaryOp op);

/// Splits a vector of the form base + stride * lane; scalars and broadcasts have stride 0. Returns false for any other
/// vector.
bool as_ramp(const Expr& e, Expr& base, Expr& stride);

}  // namespace nestwright::ir
