// A genetic algorithm over what was measured, without a model (AutoTVM's GATuner is one): parents are drawn from the
// best points, the fitter the likelier; children are mixed from two and now and then changed. The first points are the
// seeds.
#include "search/strategies/genetic.h"

#include <algorithm>

namespace nestwright {
namespace {

constexpr std::size_t kPopulation = 48;  // measured points that breed
constexpr double kMutation = 0.3;        // of a child; AutoTVM's 0.1 is for each of its knobs
constexpr double kFreshShare = 0.1;      // of a batch: uniform samples
constexpr int kAttemptsPerChild = 16;    // to find one that is new

class GeneticStrategy final : public SearchStrategy {
 public:
  explicit GeneticStrategy(const StrategyInput& input) : input_(input) {}

  std::vector<Point> propose(int batch, int n) override {
    std::mt19937_64 random = batch_random(input_.seed, batch);
    const auto wanted = static_cast<std::size_t>(n);
    const auto bred = wanted - static_cast<std::size_t>(kFreshShare * n);
    std::vector<Point> points;
    // Half of the first batches at most: a population needs to be varied.
    add_starting_points(input_, (wanted + 1) / 2, seen_, points);
    for (std::size_t attempt = 0;
         population_.size() > 1 && points.size() < bred && attempt < kAttemptsPerChild * wanted; ++attempt) {
      auto child = breed(random);
      if (child && seen_.insert(*child)) points.push_back(std::move(*child));
    }
    add_samples(*input_.space, n - static_cast<int>(points.size()), random, seen_, points);
    return points;
  }

  void observe(std::span<const Trial> batch) override {
    for (const Trial& trial : batch) seen_.insert(trial.point);
    keep_fastest(batch, kPopulation, population_);
  }

 private:
  /// The better of two; the population is sorted.
  const Point& parent(std::mt19937_64& random) const {
    std::uniform_int_distribution<std::size_t> any(0, population_.size() - 1);
    const std::size_t a = any(random), b = any(random);
    return population_[std::min(a, b)].point;
  }

  std::optional<Point> breed(std::mt19937_64& random) const {
    const Point& mother = parent(random);
    std::optional<Point> child = input_.space->crossover(mother, parent(random), random);
    const bool mutates = std::uniform_real_distribution<double>(0, 1)(random) < kMutation;
    // Parents of different branches have no child: then one of them changes.
    if (!child || mutates) child = input_.space->mutate(child ? *child : mother, 1, random);
    return child;
  }

  StrategyInput input_;
  SeenPoints seen_;
  std::vector<Trial> population_;  // fastest first
};

}  // namespace

std::unique_ptr<SearchStrategy> make_genetic_strategy(const StrategyInput& input) {
  return std::make_unique<GeneticStrategy>(input);
}

}  // namespace nestwright
