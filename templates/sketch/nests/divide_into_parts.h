// Divides a reduction into parts, whose partial results become a stage of their own.
// Thread rule: as a Sketch's.
#pragma once

#include <vector>

#include "templates/sketch/sketch.h"

namespace nestwright {

/// The extent of the longest axis of a reduction, the one that is divided.
std::int64_t divided_extent(const StageAnalysis& stage);

/// Chooses one of `counts` or 1, and divides the stage into as many parts if that is more than one; their axis is the
/// first of the new stage. A choice, since the candidates of other knobs depend on the size of a part. Returns whether
/// it divided the stage; the sketch is to be analysed then.
bool divide_into_parts(Sketch& sketch, const StageAnalysis& stage, const std::vector<std::int64_t>& counts);

}  // namespace nestwright
