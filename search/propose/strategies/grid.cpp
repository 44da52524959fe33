#include "search/propose/strategies/grid.h"

#include "search/propose/strategies/strategy_base.h"

namespace nestwright {
namespace {

class GridStrategy final : public StrategyBase {
 public:
  explicit GridStrategy(const StrategyInput& input) : StrategyBase(input) {}

 private:
  void choose(int, int n, std::mt19937_64&, std::vector<Point>& out) override {
    const unsigned __int128 size = space().size();
    while (next_ < size && static_cast<int>(out.size()) < n) {
      Point point = space().at(next_++);
      if (space().is_valid(point) && seen().insert(point)) out.push_back(std::move(point));
    }
  }

  unsigned __int128 next_ = 0;
};

}  // namespace

std::unique_ptr<SearchStrategy> make_grid_strategy(const StrategyInput& input) {
  return std::make_unique<GridStrategy>(input);
}

}  // namespace nestwright
