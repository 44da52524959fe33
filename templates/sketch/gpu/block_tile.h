// The tile of a contraction that a thread block computes in registers: its axes, the operands that are staged in shared
// memory, the knobs, and the constraints that refuse points that a device cannot run.
// Thread rule: plain data and pure functions.
#pragma once

#include <vector>

#include "templates/loops/gpu_threads.h"
#include "templates/sketch/gpu/gpu_sketch.h"

namespace nestwright {

/// An operand whose slices the threads of a block fetch together.
struct FetchedOperand {
  int access = -1;    ///< of the stage that is summed up
  int computed = -1;  ///< the stage that the threads compute into shared memory; -1: they copy a tensor
};

struct BlockTileShape {
  int sums = -1;            ///< the stage that is summed up in registers
  int stored = -1;          ///< the stage whose loops are tiled: the same, or the one that reads it element by element
  std::vector<int> tiled;   ///< one to three spatial axes: those of threadIdx.z, y and x
  std::vector<int> others;  ///< a block has one point of each
  int sliced = -1;          ///< the axis of the reduction that is fetched in slices
  std::vector<int> outer;   ///< axes of the reduction around the slices
  std::vector<int> window;  ///< those inside of a slice
  std::vector<FetchedOperand> fetched;
};

/// How an axis of a block's tile is split: consecutive strips, threads of a strip, and adjacent elements of a thread.
struct BlockTileAxis {
  std::int64_t strips = 1, threads = 1, elements = 1;
  std::int64_t of_strip() const { return threads * elements; }
  std::int64_t of_block() const { return strips * of_strip(); }
};

struct BlockTileKnobs {
  std::vector<BlockTileAxis> axes;  ///< of shape.tiled
  std::int64_t k_block = 1, unroll_k = 1;
  bool unrolls_window = false;
  std::int64_t stages = 1;                ///< slices in shared memory; more than 1: double-buffered
  std::int64_t padding = 0;               ///< stride of the rows of a slice modulo 32, in elements; 0: not padded
  std::vector<std::int64_t> fetch_lanes;  ///< of shape.fetched
  std::int64_t store_lanes = 1;
  bool first_blocks_innermost = false;
  BlockThreads threads() const;
};

/// Chooses the axes of the tile of contraction `sums`. Leaves `sums`, `stored` and `fetched` at their defaults.
BlockTileShape block_tile_shape(const StageAnalysis& sums);

/// The operands worth staging in shared memory: those whose elements the threads of a block read several times.
std::vector<FetchedOperand> operands_to_fetch(const GpuSketch& sketch, const BlockTileShape& shape);

BlockTileKnobs define_block_tile(GpuSketch& sketch, const BlockTileShape& shape);

}  // namespace nestwright
