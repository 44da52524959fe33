// The knobs of a register tile and of the blocks around it, and the constraints that refuse points that cannot be fast.
// Thread rule: plain data and pure functions.
#pragma once

#include <vector>

#include "templates/sketch/sketch.h"

namespace nestwright {

/// Loops over blocks, as the knob block_order numbers them.
enum class BlockGroup : int {
  kOther,    ///< axes that are not tiled, and tiles of the second row axis
  kRows,     ///< blocks of the row axis
  kVectors,  ///< blocks of the vector axis
  kReduction,
};

/// The stages and axes of a nest of register tiles.
struct TileAxes {
  int sums = -1;    ///< the stage that is accumulated in registers
  int stored = -1;  ///< the stage whose loops are tiled: the same, or the one that reads it element by element
  int vector = -1, row = -1, second_row = -1;
  std::vector<int> others;    ///< spatial axes that are not tiled, of more than one iteration
  std::vector<int> singles;   ///< those of one
  bool blocked = false;       ///< the reduction is blocked, along its outermost axis
  bool transposed = false;    ///< see is_transposed()
  bool takes_blocks = false;  ///< what the tiles sum up is computed for each block of rows
  bool is_inner = false;  ///< the tiles are computed in the blocks of other tiles, which are the blocks of these, too
};

struct TileKnobs {
  std::int64_t lanes = 1, vectors = 1, rows = 1, second_rows = 1;
  std::int64_t short_rows = 0;  ///< rows of the shorter tiles that make up the remainder exactly; 0: a peeled tail
  std::int64_t row_tiles = 1, vector_tiles = 1;  ///< register tiles of a block
  std::int64_t k_block = 0;                      ///< 0: not blocked
  std::int64_t unroll = 1;
  std::vector<int> reduce_order;  ///< of the axes of the reduction
  std::vector<BlockGroup> order;  ///< outermost first
  bool tiles_of_vectors_outer = false;
  std::int64_t fused = 0;  ///< outermost loops that run in parallel together; 0: none
  bool prefetches_result = false;
};

/// Predicts whether the accumulators of a tile stay in registers. Holds no references.
class TileRegisters {
 public:
  struct Body {
    std::int64_t rows;  ///< of both row axes together
    std::int64_t vectors, unroll, lanes;
  };

  TileRegisters(const StageAnalysis& sums, const TileAxes& axes, const Target& target);
  /// `innermost`: which axis of the reduction is unrolled.
  bool hold(const Body& body, std::size_t innermost) const;

 private:
  Target target_;
  std::int64_t extent_;
  std::vector<std::int64_t> reduce_, overlapping_;  ///< of each axis of the reduction
  bool strided_, fused_;
  int others_;
};

TileAxes tile_axes(Sketch& sketch, int sums, int stored, int vector);

/// The least number of consecutive steps of a reduction axis in which several rows read a common element; 0: they never
/// do.
std::int64_t overlapping_steps(const StageAnalysis& sums, int row, int axis);

TileKnobs define_tile_knobs(Sketch& sketch, const TileAxes& axes);

}  // namespace nestwright
