// Every valid point in the order of the index: for spaces that are small enough.
#pragma once

#include "search/strategy.h"

namespace nestwright {

std::unique_ptr<SearchStrategy> make_grid_strategy(const StrategyInput& input);

}  // namespace nestwright
