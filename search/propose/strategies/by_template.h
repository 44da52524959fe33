// Searches a space of several templates: each template has a strategy of its own, and a bandit
// (search/propose/bandit.h) splits every batch among them by the trials so far. They share the model. Thread rule: that
// of search/propose/strategy.h.
#pragma once

#include <memory>
#include <vector>

#include "search/propose/strategy.h"

namespace nestwright {

using MakeStrategy = std::unique_ptr<SearchStrategy> (*)(const StrategyInput&);

/// `make` makes the strategy of each of the `parts` of input.space, of which there are two or more. input.ranker is
/// nullptr where the strategies do not use the model.
std::unique_ptr<SearchStrategy> make_strategy_by_template(std::vector<SearchSpace::Part> parts,
                                                          const StrategyInput& input, MakeStrategy make);

}  // namespace nestwright
