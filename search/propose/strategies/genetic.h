// A genetic algorithm over measured points; the algorithm is described in genetic.cpp.
// Thread rule: that of search/propose/strategy.h.
#pragma once

#include <memory>

#include "search/propose/strategy.h"

namespace nestwright {

std::unique_ptr<SearchStrategy> make_genetic_strategy(const StrategyInput& input);

}  // namespace nestwright
