// Evolutionary search over the cost model. After the seeds, generations of mutated and crossed points are bred from the
// best measured ones and scored by the model, and the most promising are measured. Follows Ansor (OSDI 2020) and
// MetaSchedule's evolutionary search, with smaller populations: a trial costs tens of milliseconds here, not seconds.
// Thread rule: that of search/propose/strategy.h.
#pragma once

#include "search/propose/strategy.h"

namespace nestwright {

std::unique_ptr<SearchStrategy> make_evolutionary_strategy(const StrategyInput& input);

}  // namespace nestwright
