// The simplifier of expressions and statements, with interval and divisibility analysis. It is idempotent, and returns
// the same handle where nothing changes.
// Thread rule: pure functions.
//
//   i*16 + ii < 128  where ii in [0, 16)     i < 8
//   for j in 0..16: if (j < 5) S             for j in 0..5: S
#pragma once

#include "ir/analysis/bounds.h"
#include "nestwright/program.h"

namespace nestwright::ir {

/// True only where the scalar bool `condition` holds for every value in `ranges`: by is_always_true() as it stands, or
/// once simplified.
bool prove(const Expr& condition, const Ranges& ranges);
/// True only where it holds for no value in `ranges`.
bool disprove(const Expr& condition, const Ranges& ranges);

Expr simplify(const Expr& e, const Ranges& ranges = {});
/// Simplifies the expressions of `s` and
///  - removes loops without iterations, branches that are never taken and unused lets
///  - substitutes lets of constants and variables
///  - removes single-iteration loops of every kind but the bound ones
///  - assumes the conditions of guards in their branches, and joins nested guards to one conjunction
///  - hoists a guard that is the whole body of a loop (not a bound one) where it is invariant, and shortens a serial,
///    parallel or unrolled loop where the guard limits its variable
Stmt simplify(const Stmt& s, const Ranges& ranges = {});

}  // namespace nestwright::ir
