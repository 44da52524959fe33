// Simulated annealing over the cost model, as in AutoTVM's XGBTuner (sa_model_optimizer.py). Walkers take steps of one
// knob: uphill always, downhill with a probability that falls with the temperature. The best points visited are
// proposed. The walks are fewer and shorter than AutoTVM's, whose 64,000 predictions per plan would take longer than
// the measurements. Every batch starts new walks, from the best measured points and random ones, since a batch must not
// depend on earlier walks.
#include "search/propose/strategies/annealing.h"

#include <algorithm>
#include <cmath>

#include "search/propose/quota.h"
#include "search/propose/strategies/strategy_base.h"

namespace nestwright {
namespace {

constexpr std::size_t kMaxWalkers = 16, kMinWalkers = 4;  // as many as a batch has points, within these bounds
constexpr int kSteps = 12;
constexpr double kHottest = 0.2;     // first temperature, in scores relative to the best measured; falls linearly to 0
constexpr double kFreshShare = 0.1;  // of a batch: uniform samples
constexpr double kSeedShare = 0.75;  // of a batch, as long as seeds are left
constexpr std::size_t kElites = 8;   // measured points that walks start from

class AnnealingStrategy final : public StrategyBase {
 public:
  explicit AnnealingStrategy(const StrategyInput& input) : StrategyBase(input) {}

 private:
  void choose(int, int n, std::mt19937_64& random, std::vector<Point>& out) override {
    add_starting_points(kSeedShare, n, random, out);
    if (!ranker().can_rank()) return;
    const int walked = n - draw_quota(kFreshShare, n, random);
    if (static_cast<int>(out.size()) >= walked) return;
    bool is_best = true;
    for (auto& [score, point] : walk(n, random)) {
      if (static_cast<int>(out.size()) >= walked) break;
      if (!seen().insert(point)) continue;
      if (is_best && measured().best() != nullptr) {
        note_prediction(score, ranker().score(measured().fastest(1)).front());
      }
      is_best = false;
      out.push_back(std::move(point));
    }
  }

  using Scored = std::pair<double, Point>;

  /// The points that the walkers visited, the highest score first.
  std::vector<Scored> walk(int n, std::mt19937_64& random) {
    SeenPoints starts;
    const std::size_t walkers = std::clamp(static_cast<std::size_t>(n), kMinWalkers, kMaxWalkers);
    std::vector<Point> at = measured().fastest(std::min(kElites, walkers / 2));
    for (const Point& elite : at) starts.insert(elite);
    draw_samples(static_cast<int>(walkers - at.size()), random, starts, at);
    std::vector<double> scores = ranker().score(at);
    std::vector<Scored> passed;
    for (std::size_t w = 0; w < at.size(); ++w) passed.emplace_back(scores[w], at[w]);
    std::uniform_real_distribution<double> unit(0, 1);
    for (int step = 0; step < kSteps; ++step) {
      const double temperature = kHottest * (1 - static_cast<double>(step) / kSteps);
      std::vector<Point> next;
      for (const Point& from : at) next.push_back(space().mutate(from, 1, random).value_or(from));
      const std::vector<double> next_scores = ranker().score(next);
      for (std::size_t w = 0; w < at.size(); ++w) {
        passed.emplace_back(next_scores[w], next[w]);
        const double rise = next_scores[w] - scores[w];
        if (!(unit(random) < std::exp(std::min(rise / temperature, 0.0)))) continue;
        at[w] = next[w];
        scores[w] = next_scores[w];
      }
    }
    std::stable_sort(passed.begin(), passed.end(), [](const Scored& a, const Scored& b) { return a.first > b.first; });
    return passed;
  }
};

}  // namespace

std::unique_ptr<SearchStrategy> make_annealing_strategy(const StrategyInput& input) {
  return std::make_unique<AnnealingStrategy>(input);
}

}  // namespace nestwright
