// double_buffer: computes a stage ahead of its use, into a slot of its storage that is not being read. With two slots,
// one iteration ahead:
//
//   for v in 0..n:                       T[2, ...]
//     T[...]                             T[0, ...] = what v = 0 needs
//     T[...] = what v needs       ->     for v in 0..n:
//     use T[...]                           if likely(v + 1 < n):
//                                            T[(v + 1)%2, ...] = what v + 1 needs
//                                          use T[v%2, ...]
//
// With `stages` slots the stage is computed stages - 1 iterations ahead; the prologue computes what v = 0 .. stages - 2
// need. Loading and computing then overlap, and threads that share T synchronise once in each iteration, not twice. The
// lowering (lower/passes/double_buffer.cpp) refuses a stage that reads values computed by the same loop outside the
// pipeline, since these are not available ahead.
//
// Preconditions:
//  1. The stage is computed at a loop of another stage (so it is not an output), and this loop is serial or unrolled
//     and stays so.
//  2. It is not a scan, nor the init or update of one.
//  3. It is not the tile of a cache_write below a loop, which starts from the result of the previous iteration.
//  4. It is not kept in registers, and not double-buffered already.
//  5. 2 <= stages <= kMaxSlots.
#include <fmt/format.h>

#include "schedule/primitives/primitive.h"

namespace nestwright {

Stage& Stage::double_buffer(std::int64_t stages) {
  const Primitive primitive(*state_, "double_buffer", origin_);
  StageState& stage = primitive.stage();
  primitive.require_no_part({ScanPart::kScan, ScanPart::kInit, ScanPart::kUpdate},
                            "all of whose rows are kept: cache_write makes a stage of its own");
  if (stage.carried_from >= 0) {
    primitive.refuse(stage.name, "it is the tile of a blocked reduction, which starts from the block before");
  }
  if (stage.attach.kind != AttachKind::kAt) {
    primitive.refuse(stage.name,
                     "it is computed at root, where there is no loop around it: compute_at a loop first, whose "
                     "iterations alternate between the buffers");
  }
  if (is_in_registers(stage.scope)) {
    primitive.refuse(stage.name,
                     "it is kept in registers, which cannot be told apart by the iteration: use local scope");
  }
  if (stage.slots > 0) primitive.refuse(stage.name, "it is double-buffered already");
  if (stages < 2 || stages > kMaxSlots) {
    primitive.refuse(stage.name, fmt::format("{} stages were asked for, but there can be from 2 to {}: one is filled "
                                             "while another is read",
                                             stages, kMaxSlots));
  }
  primitive.change_attachments([&] { stage.slots = static_cast<int>(stages); }, [&] { stage.slots = 0; });
  std::vector<std::string> arguments{stage.name};
  if (stages > 2) arguments.push_back(fmt::format("stages={}", stages));
  primitive.record(std::move(arguments));
  return *this;
}

}  // namespace nestwright
