// tile: blocks two loops: loops over tiles around loops inside a tile.
//
//   for i in 0..m:            for i.outer in 0..ceil(m / factor_i):
//     for j in 0..n:    ->      for j.outer in 0..ceil(n / factor_j):
//       body(i, j)                for i.inner in 0..factor_i:
//                                   for j.inner in 0..factor_j:
//                                     body(i.outer*factor_i + i.inner, j.outer*factor_j + j.inner)
//
// Loops between i and j stay in place; the four new loops take the positions that the two splits gave them.
// A stage that is computed at i or j is computed at i.inner or j.inner from then on.
//
// Preconditions:
//  1. i and j are different loops, and neither is the time of a scan.
//  2. Both can be split this way (split.cpp). With compose, both have the same segments.
//  3. Stages that are computed inside this stage stay where they may be (reorder.cpp).
#include "schedule/primitives/primitive.h"

namespace nestwright {

std::array<IterVar, 4> Stage::tile(const IterVar& i, const IterVar& j, std::int64_t factor_i, std::int64_t factor_j,
                                   Tail tail) {
  const Primitive primitive(*state_, "tile", origin_);
  if (i == j) primitive.refuse(i, "a tile has two different loops");
  for (const IterVar& loop : {i, j}) {
    primitive.position(loop);
    primitive.require_unordered(loop);
  }
  const SplitRelation split_i = plan_split(primitive, i, factor(factor_i), tail);
  const SplitRelation split_j = plan_split(primitive, j, factor(factor_j), tail);
  std::vector<std::string> arguments = {primitive.label(i), primitive.label(j), std::to_string(factor_i),
                                        std::to_string(factor_j), "tail=" + tail.str()};
  StageState& stage = primitive.stage();
  const StageState before = stage;
  for (const SplitRelation& split : {split_i, split_j}) {
    apply_split(stage, split);
    primitive.move_attached(split.parent, split.inner);
  }
  // Only the order can be at fault: no stage leaves its loop by a split.
  primitive.change_attachments(
      [&] { apply_reorder(stage, {split_i.outer, split_j.outer, split_i.inner, split_j.inner}); },
      [&] {
        stage = before;
        for (const SplitRelation& split : {split_i, split_j}) primitive.move_attached(split.inner, split.parent);
      });
  primitive.record(std::move(arguments));
  return {split_i.outer, split_j.outer, split_i.inner, split_j.inner};
}

}  // namespace nestwright
