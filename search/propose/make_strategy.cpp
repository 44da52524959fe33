#include "search/propose/make_strategy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <utility>

#include "nestwright/error.h"
#include "search/propose/strategies/annealing.h"
#include "search/propose/strategies/by_template.h"
#include "search/propose/strategies/evolutionary.h"
#include "search/propose/strategies/genetic.h"
#include "search/propose/strategies/grid.h"
#include "search/propose/strategies/local_search.h"
#include "search/propose/strategies/random.h"

namespace nestwright {

namespace {

enum class ModelUse : bool { kNone, kRanks };
enum class Templates : bool { kTogether, kShareBatches };

struct StrategyEntry {
  const char* name;
  MakeStrategy make;
  ModelUse use;
  Templates templates;
};

constexpr std::array kStrategies = {
    StrategyEntry{"evolutionary", make_evolutionary_strategy, ModelUse::kRanks, Templates::kShareBatches},
    StrategyEntry{"annealing", make_annealing_strategy, ModelUse::kRanks, Templates::kShareBatches},
    StrategyEntry{"genetic", make_genetic_strategy, ModelUse::kNone, Templates::kShareBatches},
    StrategyEntry{"local_search", make_local_search_strategy, ModelUse::kNone, Templates::kShareBatches},
    StrategyEntry{"random", make_random_strategy, ModelUse::kNone, Templates::kShareBatches},
    StrategyEntry{"grid", make_grid_strategy, ModelUse::kNone, Templates::kTogether},
};

}  // namespace

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const StrategyEntry& entry : kStrategies) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<SearchStrategy> make_strategy(std::string_view name, const StrategyInput& input) {
  for (const StrategyEntry& entry : kStrategies) {
    if (name != entry.name) continue;
    StrategyInput used = input;
    if (entry.use == ModelUse::kNone) used.ranker = nullptr;
    std::vector<SearchSpace::Part> parts;
    if (entry.templates == Templates::kShareBatches) parts = input.space->parts();
    return parts.empty() ? entry.make(used) : make_strategy_by_template(std::move(parts), used, entry.make);
  }
  throw UsageError(fmt::format("unknown strategy '{}': use one of {}", name, fmt::join(strategy_names(), ", ")));
}

}  // namespace nestwright
