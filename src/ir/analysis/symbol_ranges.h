// What is known of a program's symbols before any of it runs.
// Thread rule: pure functions.
#pragma once

#include "ir/analysis/ranges.h"
#include "ir/core/program.h"

namespace nestwright::ir {

/// They are at least 1 and meet the program's requirements; no parameter's extent is negative.
Ranges ranges_of_symbols(const Program& program);

/// And of the variables that the host's loops and lets around the launches define.
Ranges ranges_of_host(const Program& program);

}  // namespace nestwright::ir
