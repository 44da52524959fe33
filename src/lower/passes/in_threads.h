// The pragma in_threads: the time of a scan moves inside the blocks and threads that its steps are bound to, so that
// all steps are one launch. Legal where no thread reads what another one computes: every access to what the steps store
// has the indices of the store, but for the time. Where a step reads nothing but the row before, a thread keeps what it
// needs of it in registers: from one step to the next it waits for no memory.
// Thread rule: a pure function.
#pragma once

#include <string>

#include "ir/stmt.h"

namespace nestwright {

/// `loop` is the time of `scan`, or what is left of it where it has a single step, which stays as it is. Throws
/// LowerError where the loop cannot move.
ir::Stmt run_in_threads(const ir::Stmt& loop, const std::string& scan);

}  // namespace nestwright
