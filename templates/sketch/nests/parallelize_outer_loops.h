// Distributes the outer loops of a stage over threads.
// Thread rule: as a Sketch's.
#pragma once

#include <vector>

#include "templates/sketch/sketch.h"

namespace nestwright {

/// Returns whether the outermost `rows` axes of the stage have several points, which threads can share. One thread
/// needs none.
bool has_shared_rows(const Sketch& sketch, const StageAnalysis& stage, int rows);

/// Parallel iterations per thread: several, because other threads can then take over the work of a delayed one.
inline constexpr std::int64_t kTasksOfThread = 4;

/// Parallelises the outermost loops of a nest, each of whose loops runs over one axis of the stage: fuses at most
/// `common` of them, until they have kTasksOfThread iterations per thread; a single loop is split into blocks instead.
/// Returns the remaining nest: with the fused loop, or without the loop over blocks; unchanged on one thread.
std::vector<SketchLoop> parallelize_outer_loops(Sketch& sketch, int number, std::vector<SketchLoop> nest, int common);

/// The same for the loops over the outermost `rows` axes.
std::vector<SketchLoop> parallelize_outer_rows(Sketch& sketch, int number, int rows, int common);

/// The number, among the axes of the reduction from the outermost, of the first that divides into equal blocks
/// (even_blocks); else of the first that divides into blocks (reduction_blocks); else 0, which may not divide.
int shared_reduce_axis(const StageAnalysis& stage);

}  // namespace nestwright
