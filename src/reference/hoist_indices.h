// Moves the indices of sampled elements out of the loops over their terms.
//
//   for s in 0..1024:                               for s in 0..1024:
//     for k in 0..n:                        ->        let y = clamp(at[s], 0, 13)
//       value[s] += X[clamp(at[s], 0, 13), k]         for k in 0..n:
//                                                       value[s] += X[y, k]
//
// The interpreter evaluates an expression each time that it comes to it, so that it takes half the time for a sum of
// many terms. Compilers need no such help. Thread rule: pure function.
#pragma once

#include "nestwright/program.h"

namespace nestwright {

/// Binds the integers that an outermost loop reads from a list of its own extent, one for each iteration, or of one
/// element, and what is computed from them and the loop's variable alone, by lets at the head of its body. Such reads
/// are always in bounds.
ir::Program hoist_indices(ir::Program program);

}  // namespace nestwright
