// Conditions as lists of conjuncts, and the operand of likely().
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "nestwright/expr_nodes.h"

namespace nestwright::ir {

/// The operand of a call of likely(); any other expression itself.
const Expr& without_likely(const Expr& e);

/// Appends the operands of the outermost conjunction in order; likely() around one is distributed over its operands.
void conjuncts(const Expr& condition, std::vector<Expr>& parts);

/// The inverse of conjuncts(). Undefined parts, which hold always, are left out; undefined where no part is left.
Expr conjunction(const std::vector<Expr>& parts);

}  // namespace nestwright::ir
