// Distributes the outer loops of a stage over threads.
// Thread rule: as a Sketch's.
#pragma once

#include <vector>

#include "templates/generated/sketch.h"

namespace nestwright {

/// Returns whether the outermost `rows` axes of the stage have several points, which threads can share. One thread
/// needs none.
bool has_shared_rows(const Sketch& sketch, const StageAnalysis& stage, int rows);

/// Iterations of a parallel loop per thread: enough that the others take over those of a thread that is held up.
inline constexpr std::int64_t kTasksOfThread = 4;

/// Parallelizes a nest, each loop of which runs over one axis of the stage: fuses leading loops, at most `common`,
/// until they have kTasksOfThread iterations per thread, and splits a single long loop into blocks. Returns the loops
/// inside; the nest itself if there are no threads to share it.
std::vector<SketchLoop> share_loops(Sketch& sketch, int number, std::vector<SketchLoop> nest, int common);

/// The same for the loops over the outermost `rows` axes.
std::vector<SketchLoop> share_rows(Sketch& sketch, int number, int rows, int common);

/// The first axis of the stage's reduction that divides into equal blocks (even_blocks), counted from the outermost
/// one; else the first that divides into blocks (reduction_blocks); 0 where none does.
int shared_reduce_axis(const StageAnalysis& stage);

}  // namespace nestwright
