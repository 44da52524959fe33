// prefetch: requests elements that a later iteration will read, or the lines that it will write.
//
//   for i:                          for i:
//     C[i] = f(A[i])          ->      prefetch A[i + distance]
//                                     C[i] = f(A[i])
//
// Preconditions:
//  1. The stage reads the tensor directly, or computes it, and is not a scan, whose parts do that.
//  2. The loop is a leaf of the stage.
//  3. The distance is at least 1, and this tensor is not prefetched at this loop already.
#include <fmt/format.h>

#include "schedule/primitives/primitive.h"
#include "schedule/state/stage_operations.h"

namespace nestwright {

Stage& Stage::prefetch(const Tensor& tensor, const IterVar& loop, std::int64_t distance) {
  const Primitive primitive(*state_, "prefetch", origin_);
  StageState& stage = primitive.stage();
  primitive.position(loop);
  primitive.require_no_part({ScanPart::kScan}, "which accesses nothing itself: do that to its update or its init");
  const bool is_own = tensor.defined() && state_->producer(tensor.buffer()).stage == primitive.index();
  if (!is_own && (!tensor.defined() || !reads(*stage.op.compute(), tensor.buffer()))) {
    primitive.refuse(loop,
                     fmt::format("{} does not read {}", stage.name, tensor.defined() ? tensor.name() : "this tensor"));
  }
  if (distance < 1) primitive.refuse(loop, fmt::format("distance {} is below 1", distance));
  for (const PrefetchNote& note : stage.prefetches) {
    if (note.tensor == tensor && note.loop == loop) {
      primitive.refuse(loop, fmt::format("{} is prefetched there already", tensor.name()));
    }
  }
  stage.prefetches.push_back({tensor, loop, distance});
  primitive.record({tensor_name(*state_, tensor), primitive.label(loop), std::to_string(distance)});
  return *this;
}

}  // namespace nestwright
