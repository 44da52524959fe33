// join_columns: what the tile of columns of a nest reads is computed for the tile: sums in registers, points in the
// caches.
//
//   for k: for j: s[j] += A[k, j]                        for j tiles:
//   for j tiles: for k: C[k, j] = A[k, j]/s[j]   ->        for k: s[vectors] += A[k, vectors]
//                                                          for k: C[k, vectors] = A[k, vectors]/s[vectors]
#include <algorithm>

#include "templates/generated/inner_loops.h"
#include "templates/generated/row_seeds.h"
#include "templates/generated/rules.h"
#include "templates/loops/column_sums.h"

namespace nestwright {
namespace {

std::set<int> axes_of(const SketchNest& nest) {
  std::set<int> axes;
  for (const SketchLoop& loop : nest.loops) axes.insert(loop.axes.begin(), loop.axes.end());
  return axes;
}

bool has_axis(const SketchRelation& relation, int axis) {
  return std::find(relation.identity.begin(), relation.identity.end(), axis) != relation.identity.end();
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
  return std::all_of(axes.begin(), axes.end(), [&](int axis) { return has_axis(relation, axis); }) &&
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
    if (stage.spatial == static_cast<int>(axes_of(nest).size())) loops.set_scope(ir::Scope::kRegister);
  } else {
    const auto [vector, lane] = loops.split(loops.axis(stage.last_axis()), factor(nest.columns.lanes));
    loops.unroll(vector).vectorize(lane);
  }
  const int at = static_cast<int>(nest.loops.size()) - 1;
  loops.compute_at(sketch.loops_of(nest.stage), nest.loops.back().loop);
  sketch.join(number, nest_number, at);
}

}  // namespace nestwright
