// cache_write below a loop: a blocked reduction keeps its accumulators in a tile.
//
//   for i, j:                                  for ko:                                       (block_loops)
//     C[i, j] = 0                                for i, j:
//     for ko:                           ->         C.tile[i, j] = ko == 0 ? 0 : C[i, j]
//       for ki:                                    for ki: C.tile[i, j] += f(i, j, ko*factor + ki)
//         C[i, j] += f(i, j, ko*factor + ki)     for i, j: C[i, j] = C.tile[i, j]
//
// C's loops keep their order. The stage of the tile gets fresh spatial axes and all loops of the reduction except
// `below`, with their relations and annotations. It also gets the relation k -> ko, ki, which still names `below`: its
// value is that of the loop around the tile. The tile must be attached at `below` or inside it.
//
// Preconditions:
//  1. The stage of the tensor is a reduction, and `below` is one of its leaves.
//  2. `below` is the outer loop of a split, not composed, of a whole reduce axis.
//  3. The stage has no prefetches, since its reads move to the tile, and is not tensorized.
//  4. For each spatial axis, the loops inside `below` store a contiguous range: elements in a gap would be carried from
//     block to block without being stored. The lowering checks this and throws LowerError.
// The spatial loops of the stage may already be split, reordered and annotated.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "schedule/primitives/cache_write.h"
#include "schedule/state/stage_operations.h"

namespace nestwright {
namespace {

void check_block_loop(const Primitive& primitive, const IterVar& below) {
  const StageState& stage = primitive.stage();
  const auto& reduce_axes = stage.op.compute()->reduce_axes;
  if (reduce_axes.empty()) primitive.refuse(stage.name, "it is no reduction: leave `below` out");
  primitive.position(below);
  if (!below.is_reduce()) primitive.refuse(below, "it is no loop of the reduction");
  for (const Relation& relation : stage.relations) {
    const auto* split = std::get_if<SplitRelation>(&relation);
    if (split == nullptr || !(split->outer == below)) continue;
    if (std::find(reduce_axes.begin(), reduce_axes.end(), split->parent) == reduce_axes.end()) break;
    if (!split->counts.empty()) primitive.refuse(below, "its split is composed: split the reduction with another tail");
    return;
  }
  primitive.refuse(below, "it is not the outer loop of a split of an axis of the reduction: split that axis first");
}

}  // namespace

Tensor cache_write_below(const Primitive& primitive, ir::Scope scope, const IterVar& below) {
  check_block_loop(primitive, below);
  ScheduleState& state = primitive.state();
  const int tile_index = primitive.index(), copy_index = tile_index + 1;
  std::vector<std::string> arguments = {primitive.stage().name, ir::scope_name(scope),
                                        "below=" + primitive.label(below)};
  const std::string name = unique_name(state, primitive.stage().name + ".tile");
  const Operation op = make_tile(state, primitive.stage(), name, scope);
  insert_stage(state, tile_index, make_stage(name, op));
  replace_operation(state, copy_index, make_copy_out(state.stages[static_cast<std::size_t>(copy_index)], op));

  StageState& tile = state.stages[static_cast<std::size_t>(tile_index)];
  StageState& copy = state.stages[static_cast<std::size_t>(copy_index)];
  move_reduction(state, copy_index, below);
  copy.block_loops = {below};
  copy.tile_stage = tile_index;
  tile.carried_from = copy_index;
  state.trace.append({"cache_write", std::move(arguments)});
  return Tensor(op);
}

}  // namespace nestwright
