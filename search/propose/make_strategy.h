// The table of search strategies. Thread rule: pure functions.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "search/propose/strategy.h"

namespace nestwright {

/// The strategy of this name; in a space of several templates, one for each of them under a bandit, except for a grid
/// search. Throws UsageError that lists the known names.
std::unique_ptr<SearchStrategy> make_strategy(std::string_view name, const StrategyInput& input);
std::vector<std::string> strategy_names();

}  // namespace nestwright
