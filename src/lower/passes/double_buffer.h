// Loop form: storage that the iterations of a loop use in turns. What an iteration computes of a double-buffered stage
// is computed one iteration ahead, into the half of the storage that is not in use.
//
//   for v in a..b:                        T[2, ...]
//     T[...]                              fill(a) into T[0, ...]
//     fill(v)                     ->      for v in a..b:
//     rest(v)                               if likely(v + 1 < b): fill(v + 1) into T[(v + 1 - a)%2, ...]
//                                           rest(v), from T[(v - a)%2, ...]
//
// What threads fetch into shared memory so goes through their registers, but for what the device
// copies itself (passes/staged_fill.h).
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
};

/// `computed_together`: what one branch of the nest computes at one loop, in order. Throws LowerError for a stage that
/// no loop at all can compute ahead. `copies_itself`: whether the target copies to shared memory while threads go on.
ir::Stmt double_buffer(const ir::Stmt& s, const std::vector<std::vector<DoubleBuffered>>& computed_together,
                       const ir::Ranges& symbols, bool copies_itself);

}  // namespace nestwright
