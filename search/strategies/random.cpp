#include "search/strategies/random.h"

namespace nestwright {
namespace {

class RandomStrategy final : public SearchStrategy {
 public:
  explicit RandomStrategy(const StrategyInput& input) : input_(input) {}

  std::vector<Point> propose(int batch, int n) override {
    std::mt19937_64 random = batch_random(input_.seed, batch);
    std::vector<Point> points;
    add_samples(*input_.space, n, random, seen_, points);
    return points;
  }

  void observe(std::span<const Trial> batch) override {
    for (const Trial& trial : batch) seen_.insert(trial.point);
  }

 private:
  StrategyInput input_;
  SeenPoints seen_;
};

}  // namespace

std::unique_ptr<SearchStrategy> make_random_strategy(const StrategyInput& input) {
  return std::make_unique<RandomStrategy>(input);
}

}  // namespace nestwright
