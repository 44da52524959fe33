// join_rows: a stage that only the rows of a nest read is computed a row at a time, in the caches or in registers.
//
//   for i: for k: m[i] = max(m[i], A[i, k])          for i:
//   for i: for j: C[i, j] = A[i, j] - m[i]     ->      m = max of A[i, :], in vectors
//                                                      for j: C[i, j] = A[i, j] - m
#include <algorithm>

#include "templates/sketch/nests/parallelize_outer_loops.h"
#include "templates/sketch/rules.h"
#include "templates/sketch/rules/inner_loops.h"

namespace nestwright {
namespace {

/// The loop of the nest over the last row axis that the stage has in common with it, or -1.
int loop_of_rows(Sketch& sketch, int stage) {
  const int number = sketch.nest_of_readers(stage);
  if (number < 0) return -1;
  const SketchNest& nest = sketch.nests[static_cast<std::size_t>(number)];
  if (nest.kind != SketchNest::Kind::kRows) return -1;
  const int rows = sketch.common_rows(sketch.relation(stage, number), number);
  if (!has_shared_rows(sketch, sketch.of(nest.stage), rows)) return -1;
  int found = -1;
  for (std::size_t i = 0; i < nest.loops.size(); ++i) {
    const std::set<int>& axes = nest.loops[i].axes;
    if (!std::all_of(axes.begin(), axes.end(), [&](int axis) { return axis < rows; })) break;
    found = static_cast<int>(i);
  }
  // A reader that joined further out reads more than one row.
  for (const int reader : sketch.of(stage).readers) {
    const int at = sketch.joined_at(reader);
    if (at >= 0) found = std::min(found, at);
  }
  return found;
}

/// Whether one row of the nest reads one element of the stage.
bool is_one_element(Sketch& sketch, int stage, int nest_number, int at) {
  const SketchNest& nest = sketch.nests[static_cast<std::size_t>(nest_number)];
  std::set<int> outside;
  for (int i = 0; i <= at; ++i)
    outside.insert(nest.loops[static_cast<std::size_t>(i)].axes.begin(),
                   nest.loops[static_cast<std::size_t>(i)].axes.end());
  const SketchRelation relation = sketch.relation(stage, nest_number);
  for (int d = 0; d < sketch.of(stage).spatial; ++d) {
    const int axis = relation.identity[static_cast<std::size_t>(d)];
    if (sketch.of(stage).extents[static_cast<std::size_t>(d)] > 1 && outside.count(axis) == 0) return false;
  }
  return true;
}

}  // namespace

bool may_join_rows(Sketch& sketch, int stage) {
  const StageAnalysis& analysis = sketch.of(stage);
  return !analysis.is_output && !analysis.is_scan_part && !sketch.is_tiled(stage) && loop_of_rows(sketch, stage) >= 0;
}

void join_rows(Sketch& sketch, int number) {
  const int at = loop_of_rows(sketch, number), nest_number = sketch.nest_of_readers(number);
  const SketchNest& nest = sketch.nests[static_cast<std::size_t>(nest_number)];
  const SketchLoop& loop = nest.loops[static_cast<std::size_t>(at)];
  const StageAnalysis& stage = sketch.of(number);
  ScopedTuning t = sketch.knobs_of(number);
  const bool is_single = is_one_element(sketch, number, nest_number, at);
  Stage loops = sketch.loops_of(number);
  const Stage outer = sketch.loops_of(nest.stage);
  if (stage.is_reduction) {
    const bool has_rows = !is_single && stage.spatial > 0;
    schedule_row_reduction(sketch, t, number,
                           {has_rows ? loops.axis(stage.spatial - 1) : loop.loop,
                            has_rows ? stage.tensor : sketch.of(nest.stage).tensor, 1});
  } else if (!is_single) {
    schedule_points(sketch, t, number, false);
  }
  if (is_single && stage.results == 1) loops.set_scope(ir::Scope::kRegister);
  loops.compute_at(outer, loop.loop);
  sketch.join(number, nest_number, at);
}

}  // namespace nestwright
