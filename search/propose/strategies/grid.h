// Grid search: every valid point in the order of its index, for small spaces.
// Thread rule: that of search/propose/strategy.h.
#pragma once

#include "search/propose/strategy.h"

namespace nestwright {

std::unique_ptr<SearchStrategy> make_grid_strategy(const StrategyInput& input);

}  // namespace nestwright
