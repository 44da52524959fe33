// Simulated annealing over the model; see the source.
#pragma once

#include <memory>

#include "search/strategy.h"

namespace nestwright {

std::unique_ptr<SearchStrategy> make_annealing_strategy(const StrategyInput& input);

}  // namespace nestwright
