// row_blocks: a block computes rows of a stage, and first what the rows need: join_block computes it in shared memory.
//
//   for i: for k: m[i] = max(m[i], A[i, k])          blocks i:
//   for i: for j: C[i, j] = A[i, j] - m[i]     ->      m = max of A[i, :], by all threads
//                                                      threads j: C[i, j] = A[i, j] - m
#include "templates/loops/gpu_threads.h"
#include "templates/sketch/gpu/block_rows.h"
#include "templates/sketch/gpu/gpu_rules.h"

namespace nestwright {

bool has_row_blocks(GpuSketch& sketch, int number) {
  const StageAnalysis& stage = sketch.of(number);
  return !stage.is_reduction && stage.spatial > 0 && common_row_axes(sketch, number).axes > 0;
}

void schedule_row_blocks(GpuSketch& sketch, int number) {
  const StageAnalysis& stage = sketch.of(number);
  const RowShape rows = common_row_axes(sketch, number);
  std::int64_t columns = 1;
  for (int a = rows.axes; a < stage.spatial; ++a) columns *= stage.extents[static_cast<std::size_t>(a)];
  // The threads share the reductions, too, which may be longer than what is computed of a row.
  for (int i = 0; i < number; ++i) columns = std::max(columns, sketch.of(i).reduced_points());
  RowBlockNest nest = define_row_block(sketch, number, rows, columns);
  const int last = stage.spatial - 1;
  const bool has_vectors = rows.axes < stage.spatial && stage.results == 1 && stage.result_stride(last) == 1;
  ScopedTuning t = sketch.knobs_of(number);
  const std::int64_t lanes = t.define_knob(
      "lanes", vector_widths(has_vectors ? stage.extents[static_cast<std::size_t>(last)] : 1, stage.tensor.dtype()));
  bind_rows(sketch.loops_of(number), stage.spatial, nest, lanes);
  sketch.row_blocks[sketch.add_nest({SketchNest::Kind::kRows, number, {}})] = nest;
}

}  // namespace nestwright
