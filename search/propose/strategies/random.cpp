#include "search/propose/strategies/random.h"

#include "search/propose/strategies/strategy_base.h"

namespace nestwright {
namespace {

/// Proposes nothing itself: the base class fills the batch with samples.
class RandomStrategy final : public StrategyBase {
 public:
  explicit RandomStrategy(const StrategyInput& input) : StrategyBase(input) {}

 private:
  void choose(int, int, std::mt19937_64&, std::vector<Point>&) override {}
};

}  // namespace

std::unique_ptr<SearchStrategy> make_random_strategy(const StrategyInput& input) {
  return std::make_unique<RandomStrategy>(input);
}

}  // namespace nestwright
