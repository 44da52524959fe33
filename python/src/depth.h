// Bounds the nesting depth of the expressions that Python makes: the library recurses into them, and a loop in Python
// would soon make one that exhausts the stack. Knows how many operations one has, too, which doubles where e = e + e.
// Thread rule: any thread.
#pragma once

#include <string>

#include "nestwright/expr.h"

namespace nestwright::python {

/// The nesting depth of operations, literals and variables among them; that of the body of a tensor.
inline constexpr int kMaxDepth = 1000;

/// The most operations that are written out, a shared one once for each use; those of the body of a tensor.
inline constexpr int kMaxWritten = 1 << 16;

/// The expression, whose depth is known from now on, so that the depth of what is made of it is found at once. Throws
/// UsageError if it exceeds kMaxDepth.
ir::Expr bounded(const ir::Expr& e);

/// The same for an expression of a statement. Throws UsageError where it has more than kMaxWritten operations, too.
ir::Expr bounded_in_statement(const ir::Expr& e);

/// The text of an expression; of one with more operations than kMaxWritten, their number.
std::string printed(const ir::Expr& e);

}  // namespace nestwright::python
