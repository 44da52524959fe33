#include "search/strategies/grid.h"

namespace nestwright {
namespace {

class GridStrategy final : public SearchStrategy {
 public:
  explicit GridStrategy(const StrategyInput& input) : input_(input) {}

  std::vector<Point> propose(int, int n) override {
    std::vector<Point> points;
    const unsigned __int128 size = input_.space->size();
    while (next_ < size && static_cast<int>(points.size()) < n) {
      Point point = input_.space->at(next_++);
      if (input_.space->is_valid(point) && seen_.insert(point)) points.push_back(std::move(point));
    }
    return points;
  }

  void observe(std::span<const Trial> batch) override {
    for (const Trial& trial : batch) seen_.insert(trial.point);
  }

 private:
  StrategyInput input_;
  SeenPoints seen_;
  unsigned __int128 next_ = 0;
};

}  // namespace

std::unique_ptr<SearchStrategy> make_grid_strategy(const StrategyInput& input) {
  return std::make_unique<GridStrategy>(input);
}

}  // namespace nestwright
