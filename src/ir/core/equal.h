// Structural equality: same shape and values; variables and buffers by identity, or matched one to one between two
// statements' own bindings.
#pragma once

#include "ir/core/program.h"

namespace nestwright::ir {

bool equal(const Expr& a, const Expr& b);
bool equal(const Stmt& a, const Stmt& b);
/// Equality up to renaming of parameters, symbols, loop variables and buffers.
bool equal(const Program& a, const Program& b);

}  // namespace nestwright::ir
