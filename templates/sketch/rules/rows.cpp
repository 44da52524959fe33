// rows: the loops over a stage's rows come first, some of them parallel, and the last axis, or the reduction of a row,
// is computed in vectors. What the rows of other stages need may join at the loops over rows (join_rows).
//
//   for i: for j: C[i, j] = A[i, j]*2.0
//     ->   parallel i: for j tiles: unrolled vectors: vectorized j: C[i, j] = A[i, j]*2.0
//   for i: for k: y[i] += A[i, k]
//     ->   parallel i: partial sums of A[i, :] in vectors; y[i] = their sum
#include <algorithm>

#include "templates/sketch/nests/parallelize_outer_loops.h"
#include "templates/sketch/rules.h"
#include "templates/sketch/rules/inner_loops.h"

namespace nestwright {
namespace {

constexpr std::int64_t kLongRow = 2048;  ///< elements: a share of it is worth starting a thread

/// How many of the outermost axes are rows that all stages to join have, too; 0 where none will join.
int common_rows(Sketch& sketch, int root, int rows) {
  int common = 0;
  sketch.for_each_follower(root, [&](int i, const SketchRelation& relation) {
    const StageAnalysis& stage = sketch.of(i);
    if (stage.is_output || stage.is_scan_part || sketch.is_tiled(i)) return false;
    const int shared = relation.leading_axes(rows);
    if (shared == 0 || !has_shared_rows(sketch, sketch.of(root), shared)) return false;
    common = common == 0 ? shared : std::min(common, shared);
    return true;
  });
  return common;
}

/// Schedules the sums of rows that are far apart, or the stage that takes the result from them (row_streams.h).
void schedule_row_streams(Sketch& sketch, int number) {
  const StageAnalysis& stage = sketch.of(number);
  if (!stage.is_reduction) {
    sketch.loops_of(number).split(sketch.loops_of(number).axis(0), nparts(sketch.row_streams));
    sketch.add_nest({SketchNest::Kind::kRows, number, {}});
    return;
  }
  const std::vector<SketchLoop> loops = parallelize_outer_rows(sketch, number, 1, 1);
  sketch.loops_of(number).unroll(sketch.loops_of(number).axis(1));
  ScopedTuning t = sketch.knobs_of(number);
  schedule_row_reduction(sketch, t, number, {loops.back().loop, stage.tensor, sketch.row_streams});
  sketch.add_nest({SketchNest::Kind::kRows, number, loops});
}

void schedule_reduced_rows(Sketch& sketch, int number) {
  const StageAnalysis& stage = sketch.of(number);
  const bool is_lanes = sketch.form_of(number).kind == ReductionForm::Kind::kLanes;
  const int rows = is_lanes ? stage.spatial : std::max(0, stage.last_axis());
  const int common = common_rows(sketch, number, rows);
  std::vector<SketchLoop> loops = parallelize_outer_rows(sketch, number, rows, common == 0 ? rows : common);
  ScopedTuning t = sketch.knobs_of(number);
  RowPlace place{loops.empty() ? IterVar() : loops.back().loop, stage.tensor, 1};
  // Rows that no other stage joins are reduced side by side, where the last loop is that of the last axis alone.
  if (is_lanes && common == 0 && sketch.row_streams == 0 && loops.back().axes.size() == 1) {
    place.streams =
        choose_side_by_side(sketch, stage.name, stage.extents[static_cast<std::size_t>(rows - 1)], 1, bytes_of(stage));
    if (place.streams > 1) {
      Stage y = sketch.loops_of(number);
      const auto [tile, row] = y.split(place.at, factor(place.streams), Tail::partition());
      y.unroll(row);
      place.at = tile;
    }
  }
  schedule_row_reduction(sketch, t, number, place);
  sketch.add_nest({SketchNest::Kind::kRows, number, std::move(loops)});
}

void schedule_rows_of_points(Sketch& sketch, int number) {
  const StageAnalysis& stage = sketch.of(number);
  const int rows = std::max(0, stage.last_axis());
  const int common = common_rows(sketch, number, rows);
  ScopedTuning t = sketch.knobs_of(number);
  const std::int64_t tasks = stage.points() / stage.points_from(rows);
  const bool may_share_columns = sketch.parallel && rows > 0 && tasks < kTasksOfThread * sketch.target.threads &&
                                 stage.points_from(rows) >= kLongRow;
  const bool shares_columns =
      may_share_columns && sketch.choose_once(stage.name + ".share", {"rows", "columns"}) == "columns";
  if (shares_columns) {
    schedule_points(sketch, t, number, true);
    sketch.add_nest({SketchNest::Kind::kRows, number, {}});
    return;
  }
  const std::vector<SketchLoop> loops = parallelize_outer_rows(sketch, number, rows, common == 0 ? rows : common);
  schedule_points(sketch, t, number, rows == 0 && sketch.parallel);
  sketch.add_nest({SketchNest::Kind::kRows, number, loops});
}

}  // namespace

bool is_any_stage(Sketch&, int) { return true; }

void schedule_rows(Sketch& sketch, int number) {
  if (sketch.row_streams > 1) {
    schedule_row_streams(sketch, number);
  } else if (sketch.of(number).is_reduction) {
    schedule_reduced_rows(sketch, number);
  } else {
    schedule_rows_of_points(sketch, number);
  }
}

}  // namespace nestwright
