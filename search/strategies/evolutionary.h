// Evolution over the cost model: seeds first; then generations of mutated and crossed points, bred from the best
// measured ones and judged by the model, of which the most promising are measured. After Ansor (OSDI 2020) and
// MetaSchedule's evolutionary search, with smaller populations: a trial costs tens of milliseconds here, not seconds.
#pragma once

#include "search/strategy.h"

namespace nestwright {

std::unique_ptr<SearchStrategy> make_evolutionary_strategy(const StrategyInput& input);

}  // namespace nestwright
