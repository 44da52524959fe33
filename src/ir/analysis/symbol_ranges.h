// Computes the ranges of a program's symbols and of the variables of its host statement.
// Thread rule: pure functions.
#pragma once

#include "ir/analysis/ranges.h"
#include "nestwright/program.h"

namespace nestwright::ir {

/// Every symbol is at least 1, the program's requirements hold, and no extent of a parameter is negative.
Ranges ranges_of_symbols(const Program& program);

/// The same, and the ranges of the variables that loops and lets of the host statement define.
Ranges ranges_of_host(const Program& program);

}  // namespace nestwright::ir
