// prepare: computes a stage once, before any number of calls, from inputs that do not change: the weights of a layer,
// packed as its kernel reads them.
//
//   for j: W[j] = ...                       prepare:  for j: W[j] = ...
//   for i, j: C[i, j] = f(A[i], W[j])   ->  call:     for i, j: C[i, j] = f(A[i], W[j])
//
// Inputs that only prepared stages read are not passed to the calls.
//
// Preconditions:
//  1. The stage was not inlined and is not an output: a call must compute its own results.
//  2. It is not part of a scan.
//  3. It is not the tile of a cache_write below a loop, which must stay inside that loop.
//  4. It is not double-buffered, which requires the loop that it is computed at.
// The lowering checks that the stage reads only inputs and prepared stages, once every stage is attached.
#include "schedule/primitives/primitive.h"

namespace nestwright {

Stage& Stage::prepare() {
  const Primitive primitive(*state_, "prepare", origin_);
  StageState& stage = primitive.stage();
  if (stage.is_output) primitive.refuse(stage.name, "it is an output, which every call computes anew");
  primitive.require_no_part({ScanPart::kScan, ScanPart::kInit, ScanPart::kUpdate, ScanPart::kStep},
                            "which every call runs anew");
  if (stage.carried_from >= 0) {
    primitive.refuse(stage.name, "it is the tile of a blocked reduction: attach it inside the loop of the blocks");
  }
  if (stage.slots > 0) {
    primitive.refuse(stage.name,
                     "it is double-buffered, but before the calls there is no loop around it, whose iterations "
                     "alternate between the buffers");
  }
  stage.attach = {AttachKind::kPrepared, -1, {}};
  primitive.record({stage.name});
  return *this;
}

}  // namespace nestwright
