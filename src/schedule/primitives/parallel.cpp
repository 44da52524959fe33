// parallel: the iterations of a loop run on several threads, in any order.
//
//   for i in 0..n:            parallel i in 0..n:
//     body(i)          ->       body(i)
//
// Preconditions:
//  1. The loop is a spatial leaf of the stage, not annotated, and not the time of a scan.
//  2. No other loop of the stage is parallel, nor a loop that the stage is computed inside, nor a loop of a stage that
//     is computed inside this one.
#include <fmt/format.h>

#include "schedule/primitives/primitive.h"

namespace nestwright {

Stage& Stage::parallel(const IterVar& loop) {
  const Primitive primitive(*state_, "parallel", origin_);
  primitive.position(loop);
  primitive.require_serial(loop);
  primitive.require_independent(loop);
  for (const auto& [other, kind] : primitive.stage().marked_loops()) {
    if (kind == ir::LoopKind::kParallel) {
      primitive.refuse(loop,
                       fmt::format("{} is parallel already: fuse them and make the result parallel", other.name()));
    }
  }
  auto& kinds = primitive.stage().kinds;
  primitive.change_attachments([&] { kinds[loop] = ir::LoopKind::kParallel; }, [&] { kinds.erase(loop); });
  primitive.record({primitive.label(loop)});
  return *this;
}

}  // namespace nestwright
