// Proofs of index inequalities, for the verifier and for what the reads of an expression require, by combining what is
// known: bounds of loops, guards, and what floor division and modulo mean. Slower and stronger than prove(), which the
// simplifier shares. Thread rule: pure functions.
#pragma once

#include "ir/simplify/simplify.h"

namespace nestwright::ir {

/// True only where `e`, a scalar of index type, is at least 0 for all values in `ranges`.
bool non_negative(const Expr& e, const Ranges& ranges);

}  // namespace nestwright::ir
