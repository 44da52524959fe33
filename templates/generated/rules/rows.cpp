// rows: the loops over a stage's rows come first, some of them parallel, and the last axis, or the reduction of a row,
// is computed in vectors. What the rows of other stages need may join at the loops over rows (join_rows).
//
//   for i: for j: C[i, j] = A[i, j]*2.0
//     ->   parallel i: for j tiles: unrolled vectors: vectorized j: C[i, j] = A[i, j]*2.0
//   for i: for k: y[i] += A[i, k]
//     ->   parallel i: partial sums of A[i, :] in vectors; y[i] = their sum
#include <algorithm>

#include "templates/generated/inner_loops.h"
#include "templates/generated/rules.h"
#include "templates/generated/shares.h"

namespace nestwright {
namespace {

/// How many of the outermost axes are rows that all stages to join have, too; `rows` where none will join.
int common_rows(Sketch& sketch, int root, int rows) {
  std::vector<std::pair<int, SketchRelation>> members{{root, sketch.own_relation(root)}};
  int common = rows;
  for (int i = root - 1; i >= 0; --i) {
    const StageAnalysis& stage = sketch.of(i);
    const auto is_member = [&](int reader) {
      return std::any_of(members.begin(), members.end(), [&](const auto& member) { return member.first == reader; });
    };
    if (stage.is_output || stage.is_scan_part || sketch.is_finished(i) || stage.readers.empty() ||
        !std::all_of(stage.readers.begin(), stage.readers.end(), is_member) || sketch.is_tiled(i)) {
      continue;
    }
    SketchRelation relation = sketch.relation(i, members);
    const int shared = relation.leading_axes(rows);
    if (shared == 0) continue;
    common = std::min(common, shared);
    members.emplace_back(i, std::move(relation));
  }
  return common;
}

}  // namespace

bool is_any_stage(Sketch&, int) { return true; }

void schedule_rows(Sketch& sketch, int number) {
  const StageAnalysis& stage = sketch.of(number);
  const bool is_lanes = stage.is_reduction && sketch.form_of(number).kind == ReductionForm::Kind::kLanes;
  const int rows = is_lanes ? stage.spatial : std::max(0, stage.spatial - 1);
  const int common = common_rows(sketch, number, rows);
  const std::vector<SketchLoop> loops = share_rows(sketch, number, rows, common);
  ScopedTuning t = sketch.knobs_of(number);
  if (stage.is_reduction) {
    schedule_row_reduction(sketch, t, number, loops.empty() ? IterVar() : loops.back().loop, number);
  } else {
    schedule_points(sketch, t, number, rows == 0 && sketch.parallel);
  }
  sketch.add_nest({SketchNest::Kind::kRows, number, loops});
}

}  // namespace nestwright
