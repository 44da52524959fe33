// compute_inline: a stage is not stored; its readers compute its elements where they read them.
//
//   for i: T[i] = g(i)
//   for i: C[i] = f(T[i + 1])      ->      for i: C[i] = f(g(i + 1))
//
// The bodies of the consumers are rewritten immediately. The stage stays in the list, marked kInline.
//
// Preconditions:
//  1. The stage is not an output, a reduction, a scan, or the init or update of a scan.
//  2. No primitive was applied to it, and no other stage is computed inside it.
//  3. It is neither the tile of a blocked reduction nor the copy out of one.
//  4. No body of a consumer exceeds the size limits (expression/body_size.h).
#include <fmt/format.h>

#include "expression/body_size.h"
#include "schedule/primitives/primitive.h"
#include "schedule/state/stage_operations.h"

namespace nestwright {

Stage& Stage::compute_inline() {
  const Primitive primitive(*state_, "compute_inline", origin_);
  const ComputeOp producer = *primitive.stage().op.compute();
  const std::vector<Buffer> results = primitive.stage().op->results;
  const std::string name = primitive.stage().name;
  primitive.require_no_part({ScanPart::kScan, ScanPart::kInit, ScanPart::kUpdate}, "whose rows are stored");
  if (primitive.stage().is_output) primitive.refuse(name, "it is an output, which is stored");
  if (!producer.reduce_axes.empty()) {
    primitive.refuse(name, "it is a reduction, which would be done anew for every element: use compute_at");
  }
  primitive.require_unscheduled("inline it before anything else, or not at all");
  if (primitive.stage().carried_from >= 0 || primitive.stage().tile_stage >= 0) {
    primitive.refuse(name, "it is part of a blocked reduction");
  }
  for (const StageState& stage : state_->stages) {
    for (const PrefetchNote& note : stage.prefetches) {
      if (note.tensor.op() == origin_.op()) primitive.refuse(name, stage.name + " prefetches it");
    }
  }
  std::vector<std::pair<int, ComputeOp>> rewritten;
  for (std::size_t i = 0; i < state_->stages.size(); ++i) {
    ComputeOp consumer = *state_->stages[i].op.compute();
    bool is_consumer = false;
    for (std::size_t r = 0; r < results.size(); ++r) {
      if (!reads(consumer, results[r])) continue;
      is_consumer = true;
      consumer = replace_loads(consumer, results[r], [&](const std::vector<Expr>& indices) {
        ir::Substitution with;
        for (std::size_t d = 0; d < indices.size(); ++d) with[producer.axes[d].var()] = indices[d];
        return ir::substitute(producer.bodies[r], with);
      });
    }
    if (!is_consumer) continue;
    if (const std::string excess = size_limit_violation(consumer.bodies); !excess.empty()) {
      primitive.refuse(name, fmt::format("the body of {} would be too large, for {}", state_->stages[i].name, excess));
    }
    rewritten.emplace_back(static_cast<int>(i), std::move(consumer));
  }
  for (auto& [stage, op] : rewritten) replace_operation(*state_, stage, std::move(op));
  primitive.stage().attach = {AttachKind::kInline, -1, {}};
  primitive.record({name});
  return *this;
}

}  // namespace nestwright
