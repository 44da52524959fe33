#include "templates/sketch/nests/parallelize_outer_loops.h"

#include <algorithm>

#include "templates/loops/reductions.h"
#include "templates/loops/vectors.h"

namespace nestwright {

int shared_reduce_axis(const StageAnalysis& stage) {
  int found = -1;
  for (int axis = 0; axis < stage.reduced(); ++axis) {
    const std::int64_t extent = stage.extents[static_cast<std::size_t>(stage.spatial + axis)];
    if (!even_blocks(extent).empty()) return axis;
    if (found < 0 && !reduction_blocks(extent).empty()) found = axis;
  }
  return std::max(found, 0);
}

bool has_shared_rows(const Sketch& sketch, const StageAnalysis& stage, int rows) {
  const auto has_several = [](std::int64_t extent) { return extent > 1; };
  return !sketch.parallel || std::any_of(stage.extents.begin(), stage.extents.begin() + rows, has_several);
}

std::vector<SketchLoop> parallelize_outer_rows(Sketch& sketch, int number, int rows, int common) {
  Stage loops = sketch.loops_of(number);
  std::vector<SketchLoop> nest;
  for (int axis = 0; axis < rows; ++axis) nest.push_back({loops.axis(axis), {axis}, false});
  return parallelize_outer_loops(sketch, number, std::move(nest), common);
}

std::vector<SketchLoop> parallelize_outer_loops(Sketch& sketch, int number, std::vector<SketchLoop> nest, int common) {
  if (!sketch.parallel || nest.empty()) return nest;
  Stage loops = sketch.loops_of(number);
  const auto extent = [&](const SketchLoop& loop) {
    return sketch.of(number).extents[static_cast<std::size_t>(*loop.axes.begin())];
  };
  std::int64_t iterations = extent(nest[0]);
  int fused = 1;
  for (; fused < common && iterations < kTasksOfThread * sketch.target.threads; ++fused) {
    iterations *= extent(nest[1]);
    nest[0].loop = loops.fuse(nest[0].loop, nest[1].loop);
    nest[0].axes.merge(nest[1].axes);
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

}  // namespace nestwright
