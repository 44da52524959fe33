// The strongest prover of index inequalities, for the verifier and for the requirements that reads impose. It combines
// several facts, as Fourier-Motzkin elimination does: bounds of loops, guards, and the definitions of floor division
// and modulo. Slower than prove() (ir/simplify/simplify.h).
// Thread rule: pure functions.
#pragma once

#include "ir/simplify/simplify.h"

namespace nestwright::ir {

/// True only where `e`, a scalar of index type, is at least 0 for all values in `ranges`.
bool non_negative(const Expr& e, const Ranges& ranges);

}  // namespace nestwright::ir
