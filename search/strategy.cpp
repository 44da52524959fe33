#include "search/strategy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

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

std::mt19937_64 batch_random(std::uint64_t seed, int batch) {
  std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                         static_cast<std::uint32_t>(batch)};
  return std::mt19937_64(sequence);
}

void tell_ranker(Ranker& ranker, std::span<const Trial> batch) {
  for (const Trial& trial : batch) {
    ranker.observe(trial.point, trial.outcome == Outcome::kOk ? 1e9 / trial.median_ns : 0.0);
  }
  ranker.end_batch();
}

void keep_fastest(std::span<const Trial> batch, std::size_t most, std::vector<Trial>& best) {
  std::copy_if(batch.begin(), batch.end(), std::back_inserter(best),
               [](const Trial& trial) { return trial.outcome == Outcome::kOk; });
  std::stable_sort(best.begin(), best.end(), [](const Trial& a, const Trial& b) { return a.median_ns < b.median_ns; });
  best.resize(std::min(best.size(), most));
}

void add_starting_points(const StrategyInput& input, std::size_t limit, SeenPoints& seen, std::vector<Point>& out) {
  const std::vector<Point>& seeds = input.space->seeds();
  const std::vector<Point>& transferred = input.transferred;
  const auto add = [&](const std::vector<Point>& points, std::size_t i) {
    if (i < points.size() && out.size() < limit && seen.insert(points[i])) out.push_back(points[i]);
  };
  for (std::size_t i = 0; i < std::max(seeds.size(), transferred.size()); ++i) {
    add(seeds, i);
    add(transferred, i);
  }
}

void add_samples(const SearchSpace& space, int n, std::mt19937_64& random, SeenPoints& seen, std::vector<Point>& out) {
  int misses = 0;
  while (n > 0 && misses < 200) {
    auto point = space.sample(random);
    if (!point) return;
    if (!seen.insert(*point)) {
      ++misses;
      continue;
    }
    out.push_back(std::move(*point));
    --n;
  }
}

}  // namespace nestwright
