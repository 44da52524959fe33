// Hill climbing from several starts: neighbours of the best measured points, one knob away, the better ones first; what
// is left of a batch are fresh starts, so that no valley holds it for good. No model. The first points are the seeds.
#include "search/strategies/local_search.h"

#include <algorithm>

namespace nestwright {
namespace {

constexpr std::size_t kStarts = 4;         // best points whose neighbours are tried
constexpr double kFreshShare = 0.25;       // of a batch: uniform samples
constexpr int kAttemptsPerNeighbour = 16;  // to find one that is new

class LocalSearchStrategy final : public SearchStrategy {
 public:
  explicit LocalSearchStrategy(const StrategyInput& input) : input_(input) {}

  std::vector<Point> propose(int batch, int n) override {
    std::mt19937_64 random = batch_random(input_.seed, batch);
    const auto wanted = static_cast<std::size_t>(n);
    const auto climbing = wanted - static_cast<std::size_t>(kFreshShare * n);
    std::vector<Point> points;
    add_starting_points(input_, climbing, seen_, points);
    for (std::size_t attempt = 0;
         !best_.empty() && points.size() < climbing && attempt < kAttemptsPerNeighbour * wanted; ++attempt) {
      auto neighbour = input_.space->mutate(best_[attempt % best_.size()].point, 1, random);
      if (neighbour && seen_.insert(*neighbour)) points.push_back(std::move(*neighbour));
    }
    add_samples(*input_.space, n - static_cast<int>(points.size()), random, seen_, points);
    return points;
  }

  void observe(std::span<const Trial> batch) override {
    for (const Trial& trial : batch) seen_.insert(trial.point);
    keep_fastest(batch, kStarts, best_);
  }

 private:
  StrategyInput input_;
  SeenPoints seen_;
  std::vector<Trial> best_;  // fastest first
};

}  // namespace

std::unique_ptr<SearchStrategy> make_local_search_strategy(const StrategyInput& input) {
  return std::make_unique<LocalSearchStrategy>(input);
}

}  // namespace nestwright
