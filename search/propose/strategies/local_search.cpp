// Hill climbing from several starting points: measures the neighbours of the best measured points, one knob away, the
// better points first. The rest of a batch are new starting points, which leads out of local optima. Uses no model. The
// first points are the seeds.
#include "search/propose/strategies/local_search.h"

#include "search/propose/quota.h"
#include "search/propose/strategies/strategy_base.h"

namespace nestwright {
namespace {

constexpr std::size_t kStarts = 4;         // best points whose neighbours are tried
constexpr double kFreshShare = 0.25;       // of a batch: uniform samples
constexpr int kAttemptsPerNeighbour = 16;  // to find a new one

class LocalSearchStrategy final : public StrategyBase {
 public:
  explicit LocalSearchStrategy(const StrategyInput& input) : StrategyBase(input) {}

 private:
  void choose(int, int n, std::mt19937_64& random, std::vector<Point>& out) override {
    const int fresh = draw_quota(kFreshShare, n, random);
    const int climbing = seen().empty() ? n : n - fresh;  // the very first point is the default
    add_starting_points(1, climbing, random, out);
    const std::vector<Point> starts = measured().fastest(kStarts);
    for (int attempt = 0;
         !starts.empty() && static_cast<int>(out.size()) < climbing && attempt < kAttemptsPerNeighbour * n; ++attempt) {
      auto neighbour = space().mutate(starts[static_cast<std::size_t>(attempt) % starts.size()], 1, random);
      if (neighbour && seen().insert(*neighbour)) out.push_back(std::move(*neighbour));
    }
  }
};

}  // namespace

std::unique_ptr<SearchStrategy> make_local_search_strategy(const StrategyInput& input) {
  return std::make_unique<LocalSearchStrategy>(input);
}

}  // namespace nestwright
