// What threads share: the outer loops of a stage.
// Thread rule: as a Sketch's.
#pragma once

#include <vector>

#include "templates/generated/sketch.h"

namespace nestwright {

/// Returns whether the outermost `rows` axes of the stage have several points, which threads can share. One thread
/// needs none.
bool has_shared_rows(const Sketch& sketch, const StageAnalysis& stage, int rows);

/// Makes the outermost `rows` axes of the stage, of which the first `common` may be fused, one parallel loop of enough
/// iterations, in blocks. Returns the loops over rows; those of the axes as they are where threads share nothing.
std::vector<SketchLoop> share_rows(Sketch& sketch, int number, int rows, int common);

/// The first axis of the stage's reduction that divides into equal blocks (even_blocks), counted from the outermost
/// one; else the first that divides into blocks (reduction_blocks); 0 where none does.
int shared_reduce_axis(const StageAnalysis& stage);

}  // namespace nestwright
