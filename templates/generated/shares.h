// What threads share: the outer loops of a stage, or blocks of its reduction.
// Thread rule: as a Sketch's.
#pragma once

#include <cstdint>
#include <vector>

#include "templates/generated/sketch.h"

namespace nestwright {

/// Numbers of blocks that divide `extent`: others would need masks in every block.
std::vector<std::int64_t> even_blocks(std::int64_t extent);

/// Makes the outermost `rows` axes of the stage, of which the first `common` may be fused, one parallel loop of enough
/// iterations, in blocks. Returns the loops over rows; those of the axes as they are where threads share nothing.
std::vector<SketchLoop> share_rows(Sketch& sketch, int number, int rows, int common);

/// The partial results of blocks of the stage's outermost reduction, one block an iteration of the first axis, which
/// the caller makes parallel: a knob `blocks` where `in_threads`, else a single block. Each block is of `streams` such
/// results, of parts that lie far apart. Requires that `streams` divides the extent of that reduction.
Tensor share_reduction(Sketch& sketch, ScopedTuning& t, int number, bool in_threads, std::int64_t streams);

}  // namespace nestwright
