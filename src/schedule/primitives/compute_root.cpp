// compute_root: computes a whole stage before its consumers. Every stage starts this way.
//
//   for i:                               for i, j: T[i, j] = ...
//     for j: T[i, j] = ...        ->     for i:
//     for j: C[i, j] = f(T[i, j])          for j: C[i, j] = f(T[i, j])
//
// Preconditions:
//  1. The stage was not inlined.
//  2. It is not part of a scan's step.
//  3. It is not the tile of a cache_write below a loop, which must stay inside that loop.
//  4. It is not double-buffered, which requires the loop that it is computed at.
#include "schedule/primitives/primitive.h"

namespace nestwright {

Stage& Stage::compute_root() {
  const Primitive primitive(*state_, "compute_root", origin_);
  StageState& stage = primitive.stage();
  if (stage.carried_from >= 0) {
    primitive.refuse(stage.name, "it is the tile of a blocked reduction: attach it inside the loop of the blocks");
  }
  if (stage.slots > 0) {
    primitive.refuse(stage.name,
                     "it is double-buffered, but at root there is no loop around it, whose iterations alternate "
                     "between the buffers");
  }
  primitive.require_no_part({ScanPart::kUpdate, ScanPart::kStep},
                            "which has its values inside the time loop only: compute_at takes loops of the update too");
  stage.attach = {};
  primitive.record({stage.name});
  return *this;
}

}  // namespace nestwright
