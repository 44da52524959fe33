// stream: what a stage stores goes round the caches, straight to memory.
//
//   for i:                          for i:
//     C[i] = f(A[i])          ->      stream C[i] = f(A[i])
//
// It pays where nobody reads the tensor soon and it is larger than the caches: a line that is written as a whole need
// not be read first. A backend does it for whole vectors that it can prove to be aligned; other stores are ordinary
// ones. Whoever waits for the kernel sees all of its stores.
//
// Preconditions:
//  1. The stage is an output: everything else is read again by the kernel itself.
//  2. It is no reduction, which reads what it stored, and no part of a scan: cache_write makes a stage of its own that
//     does the computing.
//  3. It does not stream already.
#include "schedule/primitives/primitive.h"

namespace nestwright {

Stage& Stage::stream() {
  const Primitive primitive(*state_, "stream", origin_);
  StageState& stage = primitive.stage();
  primitive.require_no_part({ScanPart::kScan, ScanPart::kInit, ScanPart::kUpdate},
                            "whose rows are read by the steps that follow: cache_write makes a stage of its own");
  if (!stage.is_output) primitive.refuse(stage.name, "it is no output, and the kernel itself reads it again");
  if (stage.op.compute()->reduction() != nullptr) {
    primitive.refuse(stage.name,
                     "it is a reduction, which reads what it stored: cache_write makes a stage of its own of it");
  }
  if (stage.streams) primitive.refuse(stage.name, "it streams already");
  stage.streams = true;
  primitive.record({stage.name});
  return *this;
}

}  // namespace nestwright
