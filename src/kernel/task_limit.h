// Limits the number of iterations of parallel loops, because a pool numbers its tasks by 32-bit integers.
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "nestwright/program.h"

namespace nestwright {

/// Returns the requirements on symbols under which no parallel loop has more than 2^31 - 1 iterations, as far as
/// extents depend on symbols alone. The code generator refuses constant extents above that.
std::vector<ir::Requirement> task_limits(const ir::Program& program);

}  // namespace nestwright
