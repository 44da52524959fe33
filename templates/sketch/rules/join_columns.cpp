// join_columns: a stage that only tiles of columns read is computed for one tile at a time: sums in registers, points
// in the caches.
//
//   for k: for j: s[j] += A[k, j]                        for j tiles:
//   for j tiles: for k: C[k, j] = A[k, j]/s[j]   ->        for k: s[vectors] += A[k, vectors]
//                                                          for k: C[k, vectors] = A[k, vectors]/s[vectors]
#include <algorithm>

#include "templates/loops/column_sums.h"
#include "templates/sketch/rules.h"
#include "templates/sketch/rules/inner_loops.h"
#include "templates/sketch/seeds/row_seeds.h"

namespace nestwright {
namespace {

std::set<int> axes_of(const SketchNest& nest) {
  std::set<int> axes;
  for (const SketchLoop& loop : nest.loops) axes.insert(loop.axes.begin(), loop.axes.end());
  return axes;
}

/// Whether one tile reads no more of the stage than a tile's width.
bool is_of_one_tile(const StageAnalysis& stage, const SketchRelation& relation, const std::set<int>& axes) {
  for (std::size_t d = 0; d < relation.identity.size(); ++d) {
    if (stage.extents[d] > 1 && axes.count(relation.identity[d]) == 0) return false;
  }
  return true;
}

}  // namespace

bool may_follow_columns(Sketch& sketch, int number, const SketchRelation& relation, int column) {
  const StageAnalysis& stage = sketch.of(number);
  if (stage.is_output || stage.is_scan_part || stage.is_prepared || stage.results > 1 || stage.spatial == 0)
    return false;
  if (relation.identity[static_cast<std::size_t>(stage.last_axis())] != column) return false;
  return !stage.is_reduction || is_of_columns(stage, sketch.form_of(number));
}

bool may_join_columns(Sketch& sketch, int number) {
  const int nest_number = sketch.nest_of_readers(number);
  if (nest_number < 0) return false;
  const SketchNest& nest = sketch.nests[static_cast<std::size_t>(nest_number)];
  if (nest.kind != SketchNest::Kind::kColumns) return false;
  const SketchRelation relation = sketch.relation(number, nest_number);
  const std::set<int> axes = axes_of(nest);
  return std::all_of(axes.begin(), axes.end(), [&](int axis) { return relation.has_axis(axis); }) &&
         may_follow_columns(sketch, number, relation, sketch.of(nest.stage).last_axis());
}

void join_columns(Sketch& sketch, int number) {
  const int nest_number = sketch.nest_of_readers(number);
  const SketchNest& nest = sketch.nests[static_cast<std::size_t>(nest_number)];
  const StageAnalysis& stage = sketch.of(number);
  ScopedTuning t = sketch.knobs_of(number);
  Stage loops = sketch.loops_of(number);
  if (stage.is_reduction) {
    std::vector<std::int64_t> counts{1, 2, 4, 8};
    std::erase_if(counts, [&](std::int64_t count) { return count > stage.extents.back(); });
    const std::int64_t unrolled = t.define_knob("rows_together", counts);
    const IterVar steps = schedule_column_tile(loops, nest.columns.lanes, unrolled);
    prefetch_inputs(sketch, t, stage, stage.last_axis(), stage.tensor, steps);
    if (is_of_one_tile(stage, sketch.relation(number, nest_number), axes_of(nest))) {
      loops.set_scope(ir::Scope::kRegister);
    }
  } else {
    const auto [vector, lane] = loops.split(loops.axis(stage.last_axis()), factor(nest.columns.lanes));
    loops.unroll(vector).vectorize(lane);
  }
  const int at = static_cast<int>(nest.loops.size()) - 1;
  loops.compute_at(sketch.loops_of(nest.stage), nest.loops.back().loop);
  sketch.join(number, nest_number, at);
}

}  // namespace nestwright
