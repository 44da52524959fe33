// compute_at: computes a stage inside a loop of its consumer, in each iteration the part that the iteration reads.
//
//   for i, j: T[i, j] = ...           for i:
//   for i:                      ->      for j: T[i, j] = ...
//     for j: C[i, j] = f(T[i, j])       for j: C[i, j] = f(T[i, j])
//
// Preconditions:
//  1. The stage is not an output, a placeholder, a scan, or the init or update of a scan.
//  2. The consumer depends on the stage, directly or through other stages, and was not inlined.
//  3. The loop is a leaf of the consumer, and neither it nor a loop around it is vectorised.
//  4. The consumer is not itself computed inside this stage, directly or through other stages.
//  5. No parallel loop ends up inside another one.
//  6. A stage of a scan's step stays inside the step.
//  7. The tile of a cache_write below a loop is attached to its tensor, at that loop or inside it.
// The lowering checks that all other consumers lie inside the loop as well, once every stage is attached.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "schedule/primitives/primitive.h"
#include "schedule/state/stage_operations.h"

namespace nestwright {
namespace {

bool needs(const Operation& op, const Operation& wanted, std::set<Operation>& seen) {
  if (!seen.insert(op).second) return false;
  return std::any_of(op->inputs.begin(), op->inputs.end(),
                     [&](const Operation& input) { return input == wanted || needs(input, wanted, seen); });
}

void require_inside_blocks(const Primitive& primitive, const Primitive& consumer, const IterVar& loop) {
  const StageState& stage = primitive.stage();
  if (stage.carried_from < 0) return;
  if (stage.carried_from != consumer.index()) {
    primitive.refuse(stage.name,
                     fmt::format("it is a tile of {}: attach it there",
                                 primitive.state().stages[static_cast<std::size_t>(stage.carried_from)].name));
  }
  for (const IterVar& block : consumer.stage().block_loops) {
    if (consumer.position(loop) < consumer.position(block)) {
      primitive.refuse(loop, fmt::format("it lies outside {}, whose blocks the tile sums up: attach it there or inside",
                                         block.name()));
    }
  }
}

/// The values of a stage in a scan's step exist only inside that step.
void require_in_step(const Primitive& primitive, const Primitive& consumer, const IterVar& loop) {
  const ScanPlace own = scan_place(primitive.state(), primitive.index());
  if (!own.is_in_step()) return;
  const StageState& scan = primitive.state().stages[static_cast<std::size_t>(own.scan)];
  const ScanPlace there = scan_place(primitive.state(), consumer.index());
  const bool at_steps = consumer.index() == own.scan && loop == scan.leaves.back();
  if (at_steps || (there.is_in_step() && there.scan == own.scan)) return;
  primitive.refuse(primitive.stage().name,
                   fmt::format("it is made in a step of scan {} and cannot be computed outside: attach it to a loop of "
                               "what reads it there, or to the innermost loop of the time, {}",
                               scan.name, scan.leaves.back().name()));
}

}  // namespace

Stage& Stage::compute_at(const Stage& consumer_stage, const IterVar& loop) {
  const Primitive primitive(*state_, "compute_at", origin_);
  StageState& stage = primitive.stage();
  if (consumer_stage.state_ != state_) primitive.refuse(stage.name, "the consumer belongs to another schedule");
  const Primitive consumer(*state_, "compute_at", consumer_stage.origin_);
  primitive.require_no_part({ScanPart::kScan}, "which is computed as a whole");
  primitive.require_no_part({ScanPart::kInit}, "which is computed before it");
  primitive.require_no_part({ScanPart::kUpdate}, "which is computed in the innermost loop of its time");
  if (stage.is_output) primitive.refuse(stage.name, "it is an output, which is computed as a whole");
  std::set<Operation> seen;
  if (!needs(consumer.stage().op, stage.op, seen)) {
    primitive.refuse(stage.name, fmt::format("{} is not computed from it", consumer.stage().name));
  }
  consumer.position(loop);
  require_in_step(primitive, consumer, loop);
  for (int at = consumer.index(); at >= 0; at = state_->stages[static_cast<std::size_t>(at)].attach.stage) {
    if (at == primitive.index()) {
      primitive.refuse(stage.name, fmt::format("{} is itself computed inside it", consumer.stage().name));
    }
  }
  require_inside_blocks(primitive, consumer, loop);
  const Attach before = stage.attach;
  primitive.change_attachments([&] { stage.attach = {AttachKind::kAt, consumer.index(), loop}; },
                               [&] { stage.attach = before; }, AttachmentFault::Kind::kReadOutside);
  primitive.record({stage.name, consumer.label(loop)});
  return *this;
}

}  // namespace nestwright
