// Checks the reads of an expression that a select, && or || may prevent.
// Thread rule: a pure function.
#pragma once

#include "nestwright/template.h"
#include "text/expression.h"

namespace nestwright {

/// Throws ExpressionError, at such a read, unless the verifier proves that all reads of the workload, which is that of
/// the expression, are in bounds.
void check_guarded_reads(const text::Expression& expression, const Workload& workload);

}  // namespace nestwright
