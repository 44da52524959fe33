// Checks that fragments (Scope::kFragment) are accessed uniformly: all threads of a warp store the same values to the
// same elements. The interpreter gives each thread a copy of the whole matrix, so only then does it compute what the
// device computes.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

#include "nestwright/program.h"

namespace nestwright::ir {

/// The violations in `program`, one sentence each. Fragments must be allocated inside the loops over a warp's threads,
/// and the indices, the value and the control flow of each store to one must be warp-uniform.
std::vector<std::string> check_fragments(const Program& program);

}  // namespace nestwright::ir
