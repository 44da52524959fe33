// Local search from the best measured points; the algorithm is described in local_search.cpp.
// Thread rule: that of search/propose/strategy.h.
#pragma once

#include <memory>

#include "search/propose/strategy.h"

namespace nestwright {

std::unique_ptr<SearchStrategy> make_local_search_strategy(const StrategyInput& input);

}  // namespace nestwright
