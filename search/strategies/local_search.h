// Local search from the best measured points; see the source.
#pragma once

#include <memory>

#include "search/strategy.h"

namespace nestwright {

std::unique_ptr<SearchStrategy> make_local_search_strategy(const StrategyInput& input);

}  // namespace nestwright
