// What Scope::kFragment asks of a program: matrices that the 32 threads of a warp hold together are filled, added to
// and read by all of these threads at once. The interpreter gives each thread the whole matrix, and so computes what
// the device computes only where all threads of a warp store the same values to the same elements. Thread rule: pure
// functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/core/program.h"

namespace nestwright::ir {

/// The threads of a warp: threadIdx.x, which differs fastest, and threadIdx.y. Warps lie along threadIdx.z.
inline constexpr std::int64_t kWarpX = 4, kWarpY = 8;
/// A fragment is made up of matrices of so many rows and columns: thread (x, y) has elements 2x and 2x + 1 of row y.
inline constexpr std::int64_t kFragmentSide = 8;

/// What is wrong with the fragments of `program`, one sentence each; empty: nothing. They are allocated inside loops
/// over a warp's threads, and no place, value or condition of a store to one differs between these.
std::vector<std::string> check_fragments(const Program& program);

}  // namespace nestwright::ir
