// Simulated annealing over the cost model, as AutoTVM's XGBTuner searches (sa_model_optimizer.py): walkers take steps
// of one knob, up always, down with a chance that falls with the temperature; the best points that they passed are
// proposed. Fewer and shorter walks than AutoTVM's, whose 64,000 predictions a plan would take longer than the
// measuring. A walk begins anew in each batch, from the best measured points and at random: a batch must not depend on
// earlier walks.
#include "search/strategies/annealing.h"

#include <algorithm>
#include <cmath>

namespace nestwright {
namespace {

constexpr std::size_t kWalkers = 16;
constexpr int kSteps = 12;
constexpr double kHottest = 0.2;     // in scores, which are relative to the best measured; cools to 0 linearly
constexpr double kFreshShare = 0.1;  // of a batch: uniform samples
constexpr std::size_t kElites = 8;   // measured points that walks begin from

class AnnealingStrategy final : public SearchStrategy {
 public:
  explicit AnnealingStrategy(const StrategyInput& input) : input_(input) {}

  std::vector<Point> propose(int batch, int n) override {
    std::mt19937_64 random = batch_random(input_.seed, batch);
    const auto wanted = static_cast<std::size_t>(n);
    std::vector<Point> points;
    add_starting_points(input_, (3 * wanted + 3) / 4, seen_, points);
    if (input_.ranker->ranks()) {
      const auto fresh = static_cast<std::size_t>(std::ceil(kFreshShare * n));
      for (Point& point : walk(random)) {
        if (points.size() + fresh >= wanted) break;
        if (seen_.insert(point)) points.push_back(std::move(point));
      }
    }
    add_samples(*input_.space, n - static_cast<int>(points.size()), random, seen_, points);
    return points;
  }

  void observe(std::span<const Trial> batch) override {
    for (const Trial& trial : batch) seen_.insert(trial.point);
    keep_fastest(batch, kElites, best_);
    tell_ranker(*input_.ranker, batch);
  }

 private:
  /// What the walkers passed, the most promising first.
  std::vector<Point> walk(std::mt19937_64& random) const {
    SeenPoints starts;
    std::vector<Point> at;
    for (const Trial& trial : best_) {
      if (starts.insert(trial.point)) at.push_back(trial.point);
    }
    add_samples(*input_.space, static_cast<int>(kWalkers - std::min(kWalkers, at.size())), random, starts, at);
    std::vector<double> scores = input_.ranker->score(at);
    std::vector<std::pair<double, Point>> passed;
    for (std::size_t w = 0; w < at.size(); ++w) passed.emplace_back(scores[w], at[w]);
    std::uniform_real_distribution<double> unit(0, 1);
    for (int step = 0; step < kSteps; ++step) {
      const double temperature = kHottest * (1 - static_cast<double>(step) / kSteps);
      std::vector<Point> next;
      for (const Point& from : at) next.push_back(input_.space->mutate(from, 1, random).value_or(from));
      const std::vector<double> next_scores = input_.ranker->score(next);
      for (std::size_t w = 0; w < at.size(); ++w) {
        passed.emplace_back(next_scores[w], next[w]);
        const double rise = next_scores[w] - scores[w];
        if (!(unit(random) < std::exp(std::min(rise / temperature, 0.0)))) continue;
        at[w] = next[w];
        scores[w] = next_scores[w];
      }
    }
    std::stable_sort(passed.begin(), passed.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<Point> points;
    for (auto& [score, point] : passed) points.push_back(std::move(point));
    return points;
  }

  StrategyInput input_;
  SeenPoints seen_;
  std::vector<Trial> best_;  // fastest first
};

}  // namespace

std::unique_ptr<SearchStrategy> make_annealing_strategy(const StrategyInput& input) {
  return std::make_unique<AnnealingStrategy>(input);
}

}  // namespace nestwright
