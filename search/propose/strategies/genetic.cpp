// A genetic algorithm over measured points, without a model (as AutoTVM's GATuner). Parents are drawn from the best
// points, fitter ones with higher probability; children are crossed from two parents and sometimes mutated. The first
// points are the seeds.
#include "search/propose/strategies/genetic.h"

#include <algorithm>

#include "search/propose/quota.h"
#include "search/propose/strategies/strategy_base.h"

namespace nestwright {
namespace {

constexpr std::size_t kPopulation = 48;  // measured points that breed
constexpr double kMutation = 0.3;        // per child; AutoTVM's 0.1 is per knob
constexpr double kFreshShare = 0.1;      // of a batch: uniform samples
constexpr double kSeedShare = 0.5;       // of the first batches: the population needs variety
constexpr int kAttemptsPerChild = 16;    // to find a new one

class GeneticStrategy final : public StrategyBase {
 public:
  explicit GeneticStrategy(const StrategyInput& input) : StrategyBase(input) {}

 private:
  void choose(int, int n, std::mt19937_64& random, std::vector<Point>& out) override {
    const int bred = n - draw_quota(kFreshShare, n, random);
    add_starting_points(kSeedShare, n, random, out);
    const std::vector<Point> population = measured().fastest(kPopulation);
    for (int attempt = 0;
         population.size() > 1 && static_cast<int>(out.size()) < bred && attempt < kAttemptsPerChild * n; ++attempt) {
      auto child = breed(population, random);
      if (child && seen().insert(*child)) out.push_back(std::move(*child));
    }
  }

  /// The better of two random points; the population is sorted.
  static const Point& parent(const std::vector<Point>& population, std::mt19937_64& random) {
    std::uniform_int_distribution<std::size_t> any(0, population.size() - 1);
    const std::size_t a = any(random), b = any(random);
    return population[std::min(a, b)];
  }

  std::optional<Point> breed(const std::vector<Point>& population, std::mt19937_64& random) const {
    const Point& mother = parent(population, random);
    std::optional<Point> child = space().crossover(mother, parent(population, random), random);
    const bool mutates = std::uniform_real_distribution<double>(0, 1)(random) < kMutation;
    // Parents of different branches cannot be crossed: mutate one of them.
    if (!child || mutates) child = space().mutate(child ? *child : mother, 1, random);
    return child;
  }
};

}  // namespace

std::unique_ptr<SearchStrategy> make_genetic_strategy(const StrategyInput& input) {
  return std::make_unique<GeneticStrategy>(input);
}

}  // namespace nestwright
