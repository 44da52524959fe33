// Binds the points of a stage to threads, each of which computes its points alone.
// Thread rule: as a Sketch's.
#pragma once

#include <vector>

#include "templates/sketch/gpu/gpu_sketch.h"

namespace nestwright {

/// Binds `loops`, all loops over the points of a stage, outermost first, to blocks and threads. Each thread accumulates
/// a reduction in local memory. Defines the knobs threads, lanes and items; for a reduction also unroll.
void bind_points(GpuSketch& sketch, int stage, const std::vector<IterVar>& loops);

}  // namespace nestwright
