// Rows that the threads of a block compute together: the loops that bind them, and reductions that threads share.
// Thread rule: as a Sketch's.
#pragma once

#include "templates/loops/gpu_rows.h"
#include "templates/sketch/gpu/gpu_sketch.h"

namespace nestwright {

/// The rows of a kernel.
struct RowShape {
  int axes = 0;                  ///< the leading axes of its stage, whose points are the rows; 0: there are none
  bool may_have_several = true;  ///< a block may have several rows
};

/// The rows that a stage has in common with the reductions that it alone reads, directly or through others that may be
/// computed for its rows.
RowShape common_row_axes(const GpuSketch& sketch, int root);

/// Whether each point of the leading `row_axes` axes of `relation` is one row, whose values the threads of a block may
/// keep in shared memory: one value if the stage is a reduction.
bool is_of_rows(const GpuSketch& sketch, int stage, const SketchRelation& relation, int row_axes);

/// Defines the knobs threads, rows, fan_in and unroll of a kernel of `stage`. `columns`: elements of a row, which the
/// threads share.
RowBlockNest define_row_block(GpuSketch& sketch, int stage, const RowShape& rows, std::int64_t columns);

/// Binds the loops of a stage to blocks of rows: the threads along x share the columns of a row; without columns, the
/// first of them computes the row's value. Sets nest.at, the loop over threadIdx.x. Returns the first loop inside it.
IterVar bind_rows(Stage stage, int spatial, RowBlockNest& nest, std::int64_t lanes);

/// Divides the reduction of `stage` among `threads` threads, a power of two, or fewer if it has fewer steps. Their
/// partial results are combined `fan_in` at a time. `threads_first`: as ReducedRows says.
ReducedRows split_reduction(GpuSketch& sketch, int stage, std::int64_t threads, std::int64_t fan_in,
                            bool threads_first);

/// Whether a block of one row and the fewest threads has enough shared memory for what joined the nest and `more`.
bool has_shared_bytes(const GpuSketch& sketch, const RowBlockNest& nest, const RowBytes& more);

/// The shared memory of a stage that joins the rows of a block: a reduction of several steps needs it for its partial
/// results and its result, any other stage for its values.
RowBytes bytes_of_rows(const StageAnalysis& stage, int row_axes);

}  // namespace nestwright
