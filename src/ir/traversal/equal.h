// Structural equality: two trees have the same nodes with the same fields. Free variables and buffers are compared by
// identity; those that both trees define correspond one to one.
// Thread rule: pure functions.
#pragma once

#include "nestwright/program.h"

namespace nestwright::ir {

bool equal(const Expr& a, const Expr& b);
bool equal(const Stmt& a, const Stmt& b);
/// Equality up to renaming of parameters, symbols, loop variables and buffers.
bool equal(const Program& a, const Program& b);

}  // namespace nestwright::ir
