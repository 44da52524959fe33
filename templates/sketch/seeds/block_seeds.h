// Seeds of two products of which the second reads rows that are computed from the first: both are computed for a block
// of rows at a time (templates/sketch/rules/join_blocks.cpp).
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "nestwright/config_space.h"
#include "nestwright/target.h"
#include "templates/sketch/expression/analysis.h"

namespace nestwright {

/// Sets the knobs of the tiles and blocks of the last product and of the products before it. Nothing without two
/// products.
void set_block_knobs(Config& config, const std::vector<StageAnalysis>& stages, const Target& target);

}  // namespace nestwright
