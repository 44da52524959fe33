// A partial schedule for a GPU. Stages at root become kernels of their own; stages that the rows of a block need may be
// computed by the threads of the block in shared memory.
// Thread rule: as a Sketch's.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "nestwright/knobs.h"
#include "templates/sketch/sketch.h"

namespace nestwright {

/// Whether a stage is a reduction whose points share operands, so that tiles of thread blocks pay.
bool is_contraction(const StageAnalysis& stage);
/// Whether the largest tensor that a stage reads is contiguous along its reduction and read for a few points only, as a
/// matrix that is multiplied by a vector: the threads of a block that share a row read it together.
bool reads_rows_once(const StageAnalysis& stage);

/// Bytes of shared memory for each row of a block: a fixed part, and one for each thread of the row.
struct RowBytes {
  std::int64_t of_row = 0, of_thread = 0;
  RowBytes& operator+=(const RowBytes& other);
  /// The bytes for `rows` rows with `threads` threads each, which are numbers or expressions of knobs.
  template <class Number>
  Number of_block(const Number& threads, const Number& rows) const {
    return rows * (threads * of_thread + of_row);
  }
};

/// A kernel whose blocks compute rows of a stage.
struct RowBlockNest {
  int stage = -1;
  int row_axes = 0;           ///< the leading axes of the stage: their points are the rows
  IterVar at;                 ///< the innermost loop over threads
  std::int64_t threads = 1;   ///< along threadIdx.x, which share a row
  std::int64_t rows = 1;      ///< of a block, along threadIdx.y
  std::int64_t fan_in = 2;    ///< partial results that one thread combines at a time
  std::int64_t unroll = 1;    ///< steps of a reduction that a thread takes at a time
  KnobExpr threads_knob = 1;  ///< the same as expressions of knobs
  KnobExpr rows_knob = 1;
  RowBytes shared_bytes;  ///< of what was joined so far
};

class GpuSketch : public Sketch {
 public:
  using Sketch::Sketch;

  std::map<int, RowBlockNest> row_blocks;  ///< by the number of the nest

  bool is_contraction(int stage) const { return nestwright::is_contraction(of(stage)); }
  /// Adds the constraint that the blocks of all kernels fit into shared memory.
  void require_shared_memory();
};

}  // namespace nestwright
