// The innermost loops that rules share: points and reductions of a row in vectors.
// Thread rule: as a Sketch's.
#pragma once

#include "templates/generated/sketch.h"
#include "templates/loops/vectors.h"

namespace nestwright {

/// Computes `column`, a loop of `extent` iterations, in vectors; `in_blocks`: in blocks, which run in parallel. Returns
/// the loop over tiles of vectors.
IterVar schedule_columns(ScopedTuning& t, Stage loops, IterVar column, std::int64_t extent, const VectorTileKnobs& tile,
                         bool in_blocks);

/// Computes the last axis of a stage in vectors; `in_blocks`: as schedule_columns says.
void schedule_points(Sketch& sketch, ScopedTuning& t, int stage, bool in_blocks);

/// Computes a reduction in the form of sketch.form_of(stage): partial results in vectors, attached at loop `at` of
/// stage `outer`; or vectors along the last axis; or as it is. Requires a reduction that is not at root or has a loop
/// `at`.
void schedule_row_reduction(Sketch& sketch, ScopedTuning& t, int stage, const IterVar& at, int outer);

}  // namespace nestwright
