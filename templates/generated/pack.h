// Copies of what a register tile reads, in the order in which it reads them.
// Thread rule: as a Sketch's.
#pragma once

#include <vector>

#include "templates/generated/register_tile.h"

namespace nestwright {

/// Whether vectors of what is read along `vector` are always read from a copy, in which they are contiguous.
bool is_packed(const StageAnalysis& sums, const OperandAccess& access, int vector);

/// Defines the knobs of the operands of `tile`, whose blocks are `loops`, and makes the copies: of what is read in
/// vectors, whole tiles of the vector axis, each contiguous over the reduction; of what is read row by row, the rows no
/// longer as far apart as in the tensor. A copy is made as a whole, or at the innermost loop that moves what it holds.
/// Of what is the same in every call, it is made once before the calls: of rows, too, whole tiles, so that what a tile
/// multiplies together lies together.
void pack_operands(Sketch& sketch, const TileAxes& axes, const TileKnobs& knobs, const Tensor& tile,
                   const std::vector<SketchLoop>& loops);

}  // namespace nestwright
