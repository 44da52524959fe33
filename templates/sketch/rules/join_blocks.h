// Products of products, as in attention: stages that join the blocks of the last product, where they are computed for a
// block of rows at a time.
// Thread rule: as a Sketch's.
#pragma once

#include "templates/sketch/nests/register_tile.h"
#include "templates/sketch/sketch.h"

namespace nestwright {

/// The chain of stages whose rows the tiles of `axes` sum up; no product if there is none. All of its rows are rows of
/// the tiles' result.
BlockChain chain_of_blocks(Sketch& sketch, const TileAxes& axes);
/// Whether the chain is computed for each block of rows: a choice.
bool takes_blocks(Sketch& sketch, const BlockChain& chain);

/// Whether `stored`, which stores the sums of stage `sums`, is the product of a chain whose readers are computed in
/// blocks.
bool is_product_of_block(const Sketch& sketch, int sums, int stored);
/// Computes it where they are computed, before them.
void place_in_block(Sketch& sketch, int stored);

}  // namespace nestwright
