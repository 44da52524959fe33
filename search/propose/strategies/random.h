// Random search: uniform samples of the valid points, the baseline for every other strategy.
// Thread rule: that of search/propose/strategy.h.
#pragma once

#include "search/propose/strategy.h"

namespace nestwright {

std::unique_ptr<SearchStrategy> make_random_strategy(const StrategyInput& input);

}  // namespace nestwright
