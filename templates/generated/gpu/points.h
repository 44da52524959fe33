// Binds the points of a stage to threads, each of which computes its points alone.
// Thread rule: as a Sketch's.
#pragma once

#include <vector>

#include "templates/generated/gpu/gpu_sketch.h"

namespace nestwright {

/// Binds `loops`, outermost first and all loops over the points, to blocks and threads; what a thread reduces is in its
/// registers. Defines the knobs threads, lanes and items, and of a reduction unroll.
void bind_points(GpuSketch& sketch, int stage, const std::vector<IterVar>& loops);

}  // namespace nestwright
