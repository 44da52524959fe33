// Loop form: storage that the iterations of a loop use in turns. What an iteration computes of a stage that is
// double-buffered in n stages is computed n - 1 iterations ahead, into the slot of the storage that is not in use.
//
//   for v in a..b:                        T[n, ...]
//     T[...]                              fill(a) into T[0, ...], ..., fill(a + n - 2) into T[n - 2, ...]
//     fill(v)                     ->      for v in a..b:
//     rest(v)                               if likely(v + n - 1 < b): fill(v + n - 1) into T[(v + n - 1 - a)%n, ...]
//                                           rest(v), from T[(v - a)%n, ...]
//
// What threads fetch into shared memory so goes through their registers, but for what the device
// copies itself (passes/staged_fill.h). Of more than two stages, each fill that the device copies is a group of copies
// (ir::CommitCopies), so that a barrier waits for the oldest alone and n - 2 stay in flight. A loop of fewer constant
// iterations than stages has as many slots as iterations.
// Conditions and lets between the loop and fill(v) go with it. Stages of one loop move together, in their order.
// fill(v) may be moved if it reads nothing that the loop writes, but for what moves with it; other stages keep one
// buffer. Each loop is looked at by itself: of a tail of one iteration nothing is done ahead.
//
// Thread rule: a pure function.
#pragma once

#include <string>
#include <vector>

#include "ir/simplify.h"

namespace nestwright {

/// A double-buffered stage as one branch of the nest has it, and where it keeps its results there.
struct DoubleBuffered {
  std::string stage;
  std::vector<ir::Buffer> buffers;
  int slots = 2;  ///< of the storage; at least 2, the same for all that is computed together
};

/// `computed_together`: what one branch of the nest computes at one loop, in order. Throws LowerError for a stage that
/// no loop at all can compute ahead. `copies_itself`: whether the target copies to shared memory while threads go on.
ir::Stmt double_buffer(const ir::Stmt& s, const std::vector<std::vector<DoubleBuffered>>& computed_together,
                       const ir::Ranges& symbols, bool copies_itself);

}  // namespace nestwright
