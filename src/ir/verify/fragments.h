// What Scope::kFragment asks of a program: matrices that the 32 threads of a warp hold together are filled, added to
// and read by all of these threads at once. The interpreter gives each thread the whole matrix, and so computes what
// the device computes only where all threads of a warp store the same values to the same elements. Thread rule: pure
// functions.
#pragma once

#include <string>
#include <vector>

#include "ir/core/program.h"

namespace nestwright::ir {

/// What is wrong with the fragments of `program`, one sentence each; empty: nothing. They are allocated inside loops
/// over a warp's threads, and no place, value or condition of a store to one differs between these.
std::vector<std::string> check_fragments(const Program& program);

}  // namespace nestwright::ir
