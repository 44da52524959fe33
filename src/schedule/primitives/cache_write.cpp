// cache_write: a new stage does the computing, and the tensor's stage becomes the copy out of it.
//
//   for i, j:                               for i, j:
//     C[i, j] = 0                             C.tile[i, j] = 0
//     for k: C[i, j] += f(i, j, k)    ->      for k: C.tile[i, j] += f(i, j, k)
//                                           for i, j: C[i, j] = C.tile[i, j]
//
// The loops of the reduction move to the new stage, split and annotated as they are; it gets spatial axes of its own.
// The spatial loops stay with the tensor's stage. For `below` see cache_write_below.cpp.
//
// Preconditions:
//  1. The tensor has a stage in this schedule that was not inlined.
//  2. It is not tensorized, has no layout of its own, and has no prefetches, since its reads move to the tile. A stage
//     that is computed inside its spatial loops must contain the tile, which reads it: the lowering checks this.
//  3. It is not a scan. The tile of an update, or of another stage of a step, becomes part of the step.
//  4. It is neither the tile of a blocked reduction nor the copy out of one.
#include "schedule/primitives/cache_write.h"

#include <algorithm>
#include <utility>

#include "expression/operations.h"
#include "schedule/state/stage_operations.h"

namespace nestwright {

Operation make_tile(const ScheduleState& state, const StageState& stage, const std::string& name, ir::Scope scope) {
  ComputeOp tile = *stage.op.compute();
  ir::Substitution fresh;
  for (IterVar& axis : tile.axes) {
    const IterVar own(axis.name(), axis.min(), axis.extent(), AxisKind::kSpatial);
    fresh[axis.var()] = own;
    axis = own;
  }
  std::vector<Buffer> results;
  for (const Buffer& result : stage.op->results) {
    results.emplace_back(result_name(name, results.size(), stage.op->results.size()), result->element, result->shape,
                         scope);
  }
  return make_operation(state, name, substitute(std::move(tile), fresh), std::move(results));
}

ComputeOp make_copy_out(const StageState& stage, const Operation& tile) {
  ComputeOp copy;
  copy.axes = stage.op.compute()->axes;
  for (std::size_t r = 0; r < tile->results.size(); ++r) {
    const Tensor result(tile, static_cast<int>(r));
    copy.bodies.push_back(result.at(std::vector<Expr>(copy.axes.begin(), copy.axes.end())));
  }
  return copy;
}

void move_reduction(ScheduleState& state, int copy, const IterVar& below) {
  StageState& from = state.stages[static_cast<std::size_t>(copy)];
  StageState& to = state.stages[static_cast<std::size_t>(copy) - 1];
  const auto moves = [&](const IterVar& loop) { return loop.is_reduce() && !(loop == below); };
  const auto move_loops = [&](std::vector<IterVar>& source, std::vector<IterVar>& destination) {
    for (const IterVar& loop : source) {
      const bool known = std::find(destination.begin(), destination.end(), loop) != destination.end();
      if (moves(loop) && !known) destination.push_back(loop);
    }
    std::erase_if(source, moves);
  };
  to.leaves = to.op.compute()->axes;
  move_loops(from.leaves, to.leaves);
  move_loops(from.named, to.named);
  for (const Relation& relation : from.relations) {
    if (is_of_reduction(relation)) to.relations.push_back(relation);
  }
  std::erase_if(from.relations, is_of_reduction);
  for (const auto& [loop, kind] : from.kinds) {
    if (moves(loop)) to.kinds[loop] = kind;
  }
  std::erase_if(from.kinds, [&](const auto& entry) { return moves(entry.first); });
  for (const PragmaNote& note : from.pragmas) {
    if (moves(note.loop)) to.pragmas.push_back(note);
  }
  std::erase_if(from.pragmas, [&](const PragmaNote& note) { return moves(note.loop); });
  // A stage that was computed inside a moved loop stays attached to that loop.
  for (StageState& other : state.stages) {
    Attach& attach = other.attach;
    const bool moved = std::find(to.leaves.begin(), to.leaves.end(), attach.loop) != to.leaves.end();
    if (attach.kind == AttachKind::kAt && attach.stage == copy && moved) attach.stage = copy - 1;
  }
}

Tensor Schedule::cache_write(const Tensor& tensor, ir::Scope scope, const std::optional<IterVar>& below) {
  const Primitive primitive(own_state(), "cache_write", tensor);
  if (primitive.stage().tile_stage >= 0 || primitive.stage().carried_from >= 0) {
    primitive.refuse(primitive.stage().name, "it is part of a blocked reduction already");
  }
  primitive.require_no_part({ScanPart::kScan}, "which computes nothing itself: do that to its update or its init");
  if (primitive.stage().tensorize) {
    primitive.refuse(primitive.stage().name, "it is tensorized: tensorize its tile instead");
  }
  if (!primitive.stage().prefetches.empty()) {
    primitive.refuse(primitive.stage().name, "it prefetches what its tile will read: prefetch afterwards");
  }
  if (below) return cache_write_below(primitive, scope, *below);
  if (!primitive.stage().layout.empty()) {
    primitive.refuse(primitive.stage().name, "it has a layout of its own: cache_write comes before transform_layout");
  }

  ScheduleState& state = own_state();
  const int index = primitive.index();
  const std::string stage_name = primitive.stage().name;
  const std::string name = unique_name(state, stage_name + ".tile");
  const Operation tile = make_tile(state, primitive.stage(), name, scope);
  insert_stage(state, index, make_stage(name, tile));
  replace_operation(state, index + 1, make_copy_out(state.stages[static_cast<std::size_t>(index) + 1], tile));
  StageState& copy = state.stages[static_cast<std::size_t>(index) + 1];
  move_reduction(state, index + 1, {});
  // If the stage is a cache, the tile reads its source now.
  std::swap(copy.copy_of, state.stages[static_cast<std::size_t>(index)].copy_of);
  state.trace.append({"cache_write", {stage_name, ir::scope_name(scope)}});
  return Tensor(tile);
}

}  // namespace nestwright
