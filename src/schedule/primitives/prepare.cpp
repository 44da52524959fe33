// prepare: a stage is computed once, before any number of calls, of inputs that stay the same: a layer's weights,
// packed as its kernel reads them.
//
//   for j: W[j] = ...                       prepare:  for j: W[j] = ...
//   for i, j: C[i, j] = f(A[i], W[j])   ->  call:     for i, j: C[i, j] = f(A[i], W[j])
//
// Where the calls read the inputs through such stages only, they do without those inputs.
//
// Preconditions:
//  1. The stage was not inlined, and is no output: a call has to leave its results to the caller.
//  2. It is no part of a scan.
//  3. It is not the tile of a cache_write below a loop, which lives inside that loop.
//  4. It is not double-buffered, which counts on the loop that it is computed at.
// Whether all that it reads is an input or prepared as well is for the lowering to check, when all is attached.
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
                     "it is double-buffered, and before the calls there are no iterations that could take "
                     "turns");
  }
  stage.attach = {AttachKind::kPrepared, -1, {}};
  primitive.record({stage.name});
  return *this;
}

}  // namespace nestwright
