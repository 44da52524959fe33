// unroll: repeats the body once for each iteration.
//
//   for j in 0..3:            body(0)
//     body(j)          ->     body(1)
//                             body(2)          (after expansion; the loop form has: unrolled j in 0..3)
//
// Preconditions:
//  1. The loop is a leaf of the stage, of constant extent and not annotated.
#include "schedule/primitives/primitive.h"

namespace nestwright {

Stage& Stage::unroll(const IterVar& loop) {
  const Primitive primitive(*state_, "unroll", origin_);
  primitive.position(loop);
  primitive.require_serial(loop);
  primitive.require_constant(loop, "split it by a constant factor and unroll the inner loop");
  primitive.stage().kinds[loop] = ir::LoopKind::kUnrolled;
  primitive.record({primitive.label(loop)});
  return *this;
}

}  // namespace nestwright
