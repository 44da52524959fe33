// Loops of stages that transpose, which read a tensor whose contiguous axis is not their own last one: square tiles,
// one vector wide, are read by rows into registers and stored by columns; the code generator transposes them by
// shuffles. Tiles are grouped into blocks, in either order.
//
//   for i: for j: C[i, j] = A[j, i]      ->      for i blocks: for j blocks: for j tiles: for i tiles:
//                                                  tile = A[tile of j, tile of i];  C = tile's columns
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "nestwright/knobs.h"
#include "nestwright/schedule.h"
#include "nestwright/target.h"

namespace nestwright {

struct TransposedLoops {
  IterVar row_block, column_block;
  std::vector<IterVar> blocks;  ///< the two, the outer one first
  IterVar innermost;            ///< over tiles
};

/// Splits the loops over `row`, along which the stage stores contiguous elements, and `column`, along which it reads
/// them, of constant extents. `outer`: its other loops, which stay outside. Defines the knobs tile, row_tiles,
/// column_tiles, block_order and tile_order.
TransposedLoops split_transposed_tiles(Tuning& t, Stage stage, std::vector<IterVar> outer, const IterVar& row,
                                       const IterVar& column, ir::Type type, const Target& target);

/// Makes `reader` read the tiles of `tensor` by rows into registers, at the innermost loop over tiles. The dimensions
/// of `tensor` are those that the reader's row and column index.
void read_transposed_tiles(Schedule& s, const Tensor& tensor, const Tensor& reader, int row_dimension,
                           int column_dimension, const IterVar& innermost);

}  // namespace nestwright
