// elements: each thread computes its points of a stage alone; neighbouring threads compute neighbouring points.
//
//   for i: for j: C[i, j] = A[i, j]*2.0
//     ->   blocks of i and j: threads: a few vectors of C, as far apart as the block has threads
//   for i: for k: y[i] += A[k, i]
//     ->   blocks of i: threads: sum = 0; for k: sum += A[k, i]; y[i] = sum
#include "templates/sketch/gpu/bind_points.h"
#include "templates/sketch/gpu/gpu_rules.h"

namespace nestwright {

bool is_any_gpu_stage(GpuSketch&, int) { return true; }

void schedule_elements(GpuSketch& sketch, int number) {
  sketch.add_nest({SketchNest::Kind::kTiles, number, {}});
  const StageAnalysis& stage = sketch.of(number);
  std::vector<IterVar> loops;
  for (int axis = 0; axis < stage.spatial; ++axis) loops.push_back(sketch.loops_of(number).axis(axis));
  if (!loops.empty()) bind_points(sketch, number, loops);  // without loops, one thread computes it
}

}  // namespace nestwright
