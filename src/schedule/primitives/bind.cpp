// bind: the iterations of a loop become the blocks of a launch, the threads of a block, or virtual threads.
//
//   for i in 0..n:            blockIdx.x i in 0..n:
//     body(i)          ->       body(i)
//
// The bound loops of a stage at root are the outermost loops of a kernel. Where a stage computed inside a block binds
// the same thread index, the threads of the block share its work.
//
// If a loop of a reduction is bound to threadIdx, each thread computes a partial result in shared memory, and one
// thread combines them (schedule/thread_reductions.h).
//
// Preconditions:
//  1. The loop is a leaf of the stage, without annotation: a spatial one or, for threadIdx, one of the reduction. Of a
//     stage of a scan's step it may be the time, which runs over the rows that a step needs; of an update it may not.
//  2. The axis is blockIdx.x, .y, .z, threadIdx.x, .y, .z or vthread.
//  3. No other loop of the stage is bound to the same index, except vthread.
//  4. No other loop of the reduction is bound, if this one belongs to it.
//  5. No loop bound to blockIdx ends up inside another bound loop, given where stages are computed.
#include <fmt/format.h>

#include "schedule/primitives/primitive.h"

namespace nestwright {

Stage& Stage::bind(const IterVar& loop, ir::LoopKind axis) {
  const Primitive primitive(*state_, "bind", origin_);
  primitive.position(loop, true);
  primitive.require_serial(loop);
  if (!ir::is_bound(axis)) {
    primitive.refuse(loop, fmt::format("'{}' is no index of a thread: bind to blockIdx, threadIdx or vthread",
                                       ir::loop_kind_name(axis)));
  }
  if (!loop.is_reduce() || !ir::is_device_thread(axis)) primitive.require_independent(loop);
  auto& kinds = primitive.stage().kinds;
  for (const auto& [other, kind] : primitive.stage().marked_loops()) {
    if (loop.is_reduce() && other.is_reduce() && ir::is_bound(kind)) {
      primitive.refuse(loop, fmt::format("{} of the reduction is bound to {} already: fuse them first", other.name(),
                                         ir::loop_kind_name(kind)));
    }
    if (kind == axis && kind != ir::LoopKind::kVirtualThread) {
      primitive.refuse(loop, fmt::format("{} is bound to {} already: fuse them, or bind one of them to another index",
                                         other.name(), ir::loop_kind_name(axis)));
    }
  }
  primitive.change_attachments([&] { kinds[loop] = axis; }, [&] { kinds.erase(loop); });
  primitive.record({primitive.label(loop), ir::loop_kind_name(axis)});
  return *this;
}

}  // namespace nestwright
