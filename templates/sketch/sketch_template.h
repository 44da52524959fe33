// Templates that are made from an operator's expression alone: any tensor expression of constant extents has a space.
// Thread rule: pure functions.
#pragma once

#include "nestwright/template.h"

namespace nestwright {

/// The template `generated.cpu`, which serves any operator that computes something.
Template sketch_cpu_template();

/// The template `generated.gpu`, likewise, for CUDA and OpenCL.
Template sketch_gpu_template();

}  // namespace nestwright
