// Simplification with interval and divisibility analysis. Idempotent; unchanged input is the same handle.
// Thread rule: pure functions.
#pragma once

#include "ir/analysis/bounds.h"
#include "ir/core/stmt.h"

namespace nestwright::ir {

/// True only where the scalar bool `condition` holds for every value in `ranges`.
bool prove(const Expr& condition, const Ranges& ranges);
/// True only where it holds for none.
bool disprove(const Expr& condition, const Ranges& ranges);

Expr simplify(const Expr& e, const Ranges& ranges = {});
/// Also drops loops without iterations, branches never taken, unused lets; substitutes lets of constants and variables;
/// removes single-iteration loops of every kind but the bound ones. Guards refine what is known in their branches; one
/// that is the whole body of a loop (not a bound one) leaves it where it does not depend on it, and shortens a serial,
/// parallel or unrolled loop where it limits its variable; nested guards become one conjunction.
Stmt simplify(const Stmt& s, const Ranges& ranges = {});

}  // namespace nestwright::ir
