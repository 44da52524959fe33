// Packs the operands of a register tile: copies them in the order in which the tile reads them.
// Thread rule: as a Sketch's.
#pragma once

#include <vector>

#include "templates/sketch/nests/register_tile.h"

namespace nestwright {

/// Whether the vectors of an operand along `vector` are always read from a packed copy, in which they are contiguous.
bool is_packed(const StageAnalysis& sums, const OperandAccess& access, int vector);

/// Defines the packing knobs of the operands of `tile`, whose blocks are `loops`, and makes the copies. Operands that
/// are read in vectors are packed into panels of whole tiles along the vector axis, each contiguous over the reduction;
/// for operands that are read row by row, a copy only moves the rows closer together. A copy is made as a whole, or at
/// the innermost loop that changes its region. Constant inputs are packed once before the calls, by rows into panels of
/// whole tiles, too.
void pack_operands(Sketch& sketch, const TileAxes& axes, const TileKnobs& knobs, const Tensor& tile,
                   const std::vector<SketchLoop>& loops);

}  // namespace nestwright
