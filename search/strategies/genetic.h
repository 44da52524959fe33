// A genetic algorithm over measured points; see the source.
#pragma once

#include <memory>

#include "search/strategy.h"

namespace nestwright {

std::unique_ptr<SearchStrategy> make_genetic_strategy(const StrategyInput& input);

}  // namespace nestwright
