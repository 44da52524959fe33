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
#include "templates/loops/divide.h"
#include "templates/loops/vectors.h"

namespace nestwright {
namespace {

constexpr std::int64_t kTasks = 4;  ///< of a thread: enough that one that is held up takes fewer of them

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

/// Makes the outermost rows one parallel loop of enough iterations, in blocks. Returns the loops over rows.
std::vector<SketchLoop> share_rows(Sketch& sketch, int number, int rows, int common) {
  const StageAnalysis& stage = sketch.of(number);
  Stage loops = sketch.loops_of(number);
  std::vector<SketchLoop> nest;
  for (int axis = 0; axis < rows; ++axis) nest.push_back({loops.axis(axis), {axis}, false});
  if (!sketch.parallel || rows == 0) return nest;
  std::int64_t iterations = stage.extents[0];
  int fused = 1;
  for (; fused < common && iterations < kTasks * sketch.target.threads; ++fused) {
    iterations *= stage.extents[static_cast<std::size_t>(fused)];
    nest[0].loop = loops.fuse(nest[0].loop, nest[1].loop);
    nest[0].axes.insert(fused);
    nest.erase(nest.begin() + 1);
  }
  if (iterations < 2) return nest;
  // Blocks of fused rows would begin inside of an axis, where no proof shows that they are disjoint.
  if (fused > 1) {
    loops.parallel(nest[0].loop);
    return nest;
  }
  ScopedTuning t = sketch.knobs_of(number);
  nest[0].loop = share_loop(t, loops, nest[0].loop).second;
  return nest;
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
