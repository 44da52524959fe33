// Barriers of a block's threads around what they share: between the writes of a shared buffer and what reads it, and
// between these reads and the next writes, those of the next iteration of a loop included.
//
//   for ko:                           for ko:
//     A.cache[tx] = A[...]              A.cache[tx] = A[...]
//     C[tx] += A.cache[...]      ->     barrier
//                                       C[tx] += A.cache[...]
//                                       barrier
//
// A statement that reads the very element that it writes, as a reduction does, waits for nobody: each element of a
// stage is computed by one thread. Elements that differ for certain, as those of the two halves of a double buffer, are
// no reason to wait. Copies that are in groups (ir::CommitCopies) may stay in flight as long as the groups say, up to
// the end of the loop that they are begun in. Thread rule: a pure function.
#pragma once

#include "ir/stmt.h"

namespace nestwright {

/// Throws LowerError for a barrier that not all threads would reach: in a branch or a loop that differs between them.
ir::Stmt place_barriers(const ir::Stmt& kernel);

}  // namespace nestwright
