// double_buffer: a stage is computed ahead of its use, into the one of its slots that is not in use. Of two slots, one
// iteration ahead:
//
//   for v in 0..n:                       T[2, ...]
//     T[...]                             T[0, ...] = what v = 0 needs
//     T[...] = what v needs       ->     for v in 0..n:
//     use T[...]                           if likely(v + 1 < n):
//                                            T[(v + 1)%2, ...] = what v + 1 needs
//                                          use T[v%2, ...]
//
// With `stages` slots it is computed stages - 1 iterations ahead: what v = 0 .. stages - 2 need lies in front of the
// loop. So loading and computing overlap, and threads that share T wait for each other once an iteration, not twice.
// What the nest is made of shows only when it is lowered (lower/passes/double_buffer.cpp): there a stage is refused
// that reads what its loop computes otherwise, for that cannot be had an iteration ahead.
//
// Preconditions:
//  1. The stage is computed at a loop of another one (so that it is no output), which is serial or unrolled and stays
//     so.
//  2. It is no scan, and neither init nor update of one.
//  3. It is not the tile of a cache_write below a loop, which starts from what the iteration before left.
//  4. It is not kept in registers, and not double-buffered already.
//  5. 2 <= stages <= kMaxStages.
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
    primitive.refuse(stage.name, "it is computed at root, where no iterations take turns: compute_at a loop first");
  }
  if (is_in_registers(stage.scope)) {
    primitive.refuse(stage.name,
                     "it is kept in registers, which cannot be told apart by the iteration: use local scope");
  }
  if (stage.slots > 0) primitive.refuse(stage.name, "it is double-buffered already");
  if (stages < 2 || stages > kMaxStages) {
    primitive.refuse(stage.name, fmt::format("{} stages were asked for, but there can be from 2 to {}: one is filled "
                                             "while another is read",
                                             stages, kMaxStages));
  }
  primitive.change_attachments([&] { stage.slots = static_cast<int>(stages); }, [&] { stage.slots = 0; });
  std::vector<std::string> arguments{stage.name};
  if (stages > 2) arguments.push_back(fmt::format("stages={}", stages));
  primitive.record(std::move(arguments));
  return *this;
}

}  // namespace nestwright
