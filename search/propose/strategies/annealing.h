// Simulated annealing over the cost model; the algorithm is described in annealing.cpp.
// Thread rule: that of search/propose/strategy.h.
#pragma once

#include <memory>

#include "search/propose/strategy.h"

namespace nestwright {

std::unique_ptr<SearchStrategy> make_annealing_strategy(const StrategyInput& input);

}  // namespace nestwright
