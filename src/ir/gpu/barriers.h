// Barriers: whether a statement contains one, and whether every execution of it reaches one.
// Thread rule: pure functions.
#pragma once

#include "nestwright/program.h"

namespace nestwright::ir {

/// Whether there is a barrier in `s`, which may be undefined.
bool has_barrier(const Stmt& s);

/// True only where the loop has an iteration whenever it is reached.
bool always_runs(const For& loop);

/// True only where every execution of `s`, which may be undefined, reaches a barrier.
bool always_reaches_barrier(const Stmt& s);

}  // namespace nestwright::ir
