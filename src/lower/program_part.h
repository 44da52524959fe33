// Makes a part of a program, which runs only the first iterations of the outer loops, so that a kernel whose call takes
// long can be timed in a fraction of it: all operands keep their sizes, and every loop nest takes the same share of its
// time as in the whole. Thread rule: a pure function. Units: shares and ratios of times.
#pragma once

#include <optional>

#include "nestwright/program.h"

namespace nestwright {

struct ProgramPart {
  /// With the parameters of the whole. What it stores is a part of the whole's result or, where an outer loop reduces,
  /// of its terms; elements of the workspace that it reads may be uninitialised, but none that an address, a condition
  /// or a divisor depends on.
  ir::Program program;
  /// The estimated time of the whole relative to the part's: operations and accesses, of a parallel loop those of the
  /// thread with the most iterations. Above 1.
  double ratio = 1;
};

/// The part of `program` that takes about `share` (0 < share < 1) of its time on `threads` threads. A parallel loop
/// keeps at least one iteration for each thread and a multiple of the threads, unless it keeps all; a loop that has too
/// few iterations to be shortened so far is left to the loops inside. Before, with a share of 1/8 on two threads:
///
///   parallel j in 0..128: for k in 0..512: packed[j, k] = B[k, j]
///   parallel i in 0..64: for j in 0..128: ...
///
/// After, with the ratio 8:
///
///   parallel j in 0..16: for k in 0..512: packed[j, k] = B[k, j]
///   parallel i in 0..8: for j in 0..128: ...
///
/// Serial and parallel loops of constant extent are shortened, but none that stores in a register or on the stack
/// outside of it. A preparation stays whole. nullopt where the ratio would be below 1.4, for symbolic extents, for more
/// than one kernel and for devices. Requires loop form.
std::optional<ProgramPart> part_of(const ir::Program& program, double share, int threads);

}  // namespace nestwright
