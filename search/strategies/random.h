// Uniform samples of the valid points: the control that every other strategy has to beat.
#pragma once

#include "search/strategy.h"

namespace nestwright {

std::unique_ptr<SearchStrategy> make_random_strategy(const StrategyInput& input);

}  // namespace nestwright
