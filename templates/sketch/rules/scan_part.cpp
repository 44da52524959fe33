// scan_part: the steps of a scan run in order; their columns are vectors, which threads may share.
//
//   for t: for j: Y[t, j] = Y[t - 1, j] + X[t, j]
//     ->   for t: parallel j blocks: for j tiles: vectorized j: Y[t, j] = Y[t - 1, j] + X[t, j]
#include "schedule/state/scan_parts.h"
#include "schedule/state/stage_operations.h"
#include "schedule/state/state.h"
#include "templates/sketch/rules.h"
#include "templates/sketch/rules/inner_loops.h"

namespace nestwright {

bool is_of_scan(Sketch& sketch, int stage) { return sketch.of(stage).is_scan_part; }

void schedule_scan_part(Sketch& sketch, int number) {
  sketch.finish(number);
  const StageAnalysis& stage = sketch.of(number);
  const int state = find_stage(sketch.schedule.state(), stage.tensor);
  const ScanPlace place = scan_place(sketch.schedule.state(), state);
  if (!place.is_stored_in_scan() || stage.is_reduction || stage.spatial < 2) return;
  const int last = stage.spatial - 1;
  const std::int64_t extent = stage.extents[static_cast<std::size_t>(last)];
  if (extent < 2) return;
  ScopedTuning t = sketch.knobs_of(number);
  const VectorTileKnobs tile = define_vectors(t, extent, widest_type(stage), sketch.target, max_sums(sketch.target));
  Stage loops = sketch.loops_of(number);
  schedule_columns(t, loops, loops.axis(last), extent, tile, sketch.parallel);
}

}  // namespace nestwright
