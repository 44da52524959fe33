// Parallel loops hand their iterations to the pool as 32-bit numbers.
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "ir/core/program.h"

namespace nestwright {

/// Returns what calls have to guarantee so that no parallel loop whose extent depends on symbols alone has more
/// iterations than a pool takes, 2^31 - 1. Loops of constant extent are refused by the code generator.
std::vector<ir::Requirement> task_limits(const ir::Program& program);

}  // namespace nestwright
