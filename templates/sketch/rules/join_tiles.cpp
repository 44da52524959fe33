// join_tiles: a stage that the tiles of a reduction read, such as padding, is computed for each block that reads it, or
// as a whole.
//
//   P[i] = padded A[i];  for i blocks: for i tiles: C = sum of P        (root)
//   for i blocks: P of the block; for i tiles: C = sum of P             (block)
#include <algorithm>

#include "templates/sketch/rules.h"
#include "templates/sketch/rules/inner_loops.h"

namespace nestwright {
namespace {

bool moves(const SketchLoop& loop, const std::set<int>& dimension) {
  return std::any_of(loop.axes.begin(), loop.axes.end(), [&](int axis) { return dimension.count(axis) > 0; });
}

}  // namespace

int loop_of_block(const SketchNest& nest, const SketchRelation& relation) {
  int found = -1;
  for (std::size_t i = 0; i < nest.loops.size(); ++i) {
    if (moves(nest.loops[i], relation.axes.back())) break;
    const bool is_mover = std::any_of(relation.axes.begin(), relation.axes.end(),
                                      [&](const std::set<int>& dimension) { return moves(nest.loops[i], dimension); });
    if (is_mover) found = static_cast<int>(i);
  }
  return found;
}

bool may_join_tiles(Sketch& sketch, int stage) {
  const StageAnalysis& analysis = sketch.of(stage);
  const int nest = sketch.nest_of_readers(stage);
  return !analysis.is_output && analysis.spatial > 0 && !analysis.is_scan_part && !analysis.is_reduction && nest >= 0 &&
         sketch.nests[static_cast<std::size_t>(nest)].kind == SketchNest::Kind::kTiles;
}

void join_tiles(Sketch& sketch, int number) {
  const int nest_number = sketch.nest_of_readers(number);
  const SketchNest& nest = sketch.nests[static_cast<std::size_t>(nest_number)];
  const std::string chosen = sketch.choose_once(sketch.of(number).name + ".at", {"root", "block"});
  const int at = loop_of_block(nest, sketch.relation(number, nest_number));
  if (chosen == "root") {
    schedule_rows(sketch, number);
    return;
  }
  ScopedTuning t = sketch.knobs_of(number);
  schedule_points(sketch, t, number, false);
  if (at < 0) {  // in other orders of the loops there may be one: the knobs must be the same
    sketch.add_nest({SketchNest::Kind::kRows, number, {}});
    return;
  }
  sketch.loops_of(number).compute_at(sketch.loops_of(nest.stage), nest.loops[static_cast<std::size_t>(at)].loop);
  sketch.join(number, nest_number, at);
}

}  // namespace nestwright
