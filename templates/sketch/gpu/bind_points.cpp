#include "templates/sketch/gpu/bind_points.h"

#include "templates/loops/gpu_rows.h"
#include "templates/loops/gpu_threads.h"

namespace nestwright {
namespace {

/// A thread computes the points of a reduction one at a time: its accumulators are not vectors.
ElementTile define_points(ScopedTuning& t, const StageAnalysis& stage, std::int64_t points, const Target& target) {
  const int last = stage.spatial - 1;
  const bool has_vectors = !stage.is_reduction && stage.results == 1 && stage.result_stride(last) == 1;
  const std::int64_t row = has_vectors ? stage.extents[static_cast<std::size_t>(last)] : 1;
  return define_elements(t, points, row, stage.tensor.dtype(), target);
}

}  // namespace

void bind_points(GpuSketch& sketch, int number, const std::vector<IterVar>& loops) {
  const StageAnalysis stage = sketch.of(number);
  ScopedTuning t = sketch.knobs_of(number);
  Schedule& s = sketch.schedule;
  std::int64_t points = 1;
  for (const IterVar& loop : loops) points *= *ir::as_const_int(loop.extent());
  if (!stage.is_reduction) {
    bind_elements(s[stage.tensor], loops, define_points(t, stage, points, sketch.target));
    return;
  }
  const std::int64_t unroll = t.define_knob("unroll", {1, 4, 8});
  const Tensor own = s.cache_write(stage.tensor, ir::Scope::kLocal);
  const IterVar item = bind_elements(s[stage.tensor], loops, define_points(t, stage, points, sketch.target));
  s[own].compute_at(s[stage.tensor], item);
  unroll_steps(s[own], unroll);
}

}  // namespace nestwright
