// Parallel loops hand their iterations to the pool as 32-bit numbers.
// Thread rule: pure functions.
#pragma once

#include "ir/core/program.h"

namespace nestwright {

/// Adds to `program` the requirement that no parallel loop whose extent depends on symbols alone has more iterations
/// than a pool takes, 2^31 - 1. Loops of constant extent are refused by the code generator.
void require_numbers_of_tasks(ir::Program& program);

}  // namespace nestwright
