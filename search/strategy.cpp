#include "search/strategy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "search/strategies/annealing.h"
#include "search/strategies/evolutionary.h"
#include "search/strategies/genetic.h"
#include "search/strategies/grid.h"
#include "search/strategies/local_search.h"
#include "search/strategies/random.h"
#include "support/error.h"

namespace nestwright {

std::vector<std::string> strategy_names() {
  return {"evolutionary", "annealing", "genetic", "local_search", "random", "grid"};
}

std::unique_ptr<SearchStrategy> make_strategy(std::string_view name, const StrategyInput& input) {
  if (name == "evolutionary") return make_evolutionary_strategy(input);
  if (name == "annealing") return make_annealing_strategy(input);
  if (name == "genetic") return make_genetic_strategy(input);
  if (name == "local_search") return make_local_search_strategy(input);
  if (name == "random") return make_random_strategy(input);
  if (name == "grid") return make_grid_strategy(input);
  throw UsageError(fmt::format("unknown strategy '{}': use one of {}", name, fmt::join(strategy_names(), ", ")));
}

}  // namespace nestwright
