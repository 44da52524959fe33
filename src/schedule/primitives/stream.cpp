// stream: a stage stores its result by non-temporal stores, which bypass the caches.
//
//   for i:                          for i:
//     C[i] = f(A[i])          ->      stream C[i] = f(A[i])
//
// This pays where the tensor is larger than the caches and is not read soon: a line that is written as a whole need not
// be read first. Backends do so for whole vectors that are provably aligned; other stores are ordinary. All stores are
// visible to whoever waits for the kernel.
//
// Preconditions:
//  1. The stage is an output: the kernel itself reads all other stages.
//  2. It is not a reduction, which reads its own stores, and not part of a scan. cache_write moves the computing to a
//     stage of its own.
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
  if (stage.non_temporal) primitive.refuse(stage.name, "it streams already");
  stage.non_temporal = true;
  primitive.record({stage.name});
  return *this;
}

}  // namespace nestwright
