#include "search/strategy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "search/strategies/annealing.h"
#include "search/strategies/evolutionary.h"
#include "search/strategies/genetic.h"
#include "search/strategies/grid.h"
#include "search/strategies/local_search.h"
#include "search/strategies/random.h"
#include "support/error.h"

namespace nestwright {

namespace {

struct StrategyEntry {
  const char* name;
  std::unique_ptr<SearchStrategy> (*make)(const StrategyInput&);
};

constexpr std::array kStrategies = {
    StrategyEntry{"evolutionary", make_evolutionary_strategy},
    StrategyEntry{"annealing", make_annealing_strategy},
    StrategyEntry{"genetic", make_genetic_strategy},
    StrategyEntry{"local_search", make_local_search_strategy},
    StrategyEntry{"random", make_random_strategy},
    StrategyEntry{"grid", make_grid_strategy},
};

}  // namespace

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const StrategyEntry& entry : kStrategies) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<SearchStrategy> make_strategy(std::string_view name, const StrategyInput& input) {
  for (const StrategyEntry& entry : kStrategies) {
    if (name == entry.name) return entry.make(input);
  }
  throw UsageError(fmt::format("unknown strategy '{}': use one of {}", name, fmt::join(strategy_names(), ", ")));
}

}  // namespace nestwright
