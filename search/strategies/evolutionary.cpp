#include "search/strategies/evolutionary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace nestwright {
namespace {

constexpr std::size_t kElites = 24;      // measured points that breed
constexpr std::size_t kImmigrants = 32;  // fresh samples a batch
constexpr std::size_t kOffspring = 48;   // bred a generation
constexpr std::size_t kSurvivors = 48;   // kept a generation
constexpr int kGenerations = 3;
constexpr double kMutation = 0.85;    // share of offspring by mutation, the rest by crossover (Ansor, MetaSchedule)
constexpr double kExploration = 0.1;  // share of a batch that is sampled, whatever the model says
constexpr double kSeedShare = 0.75;   // of the first batches, as long as seeds last

class EvolutionaryStrategy final : public SearchStrategy {
 public:
  explicit EvolutionaryStrategy(const StrategyInput& input) : input_(input) {}

  std::vector<Point> propose(int batch, int n) override {
    std::mt19937_64 random = batch_random(input_.seed, batch);
    std::vector<Point> points;
    add_seeds(static_cast<std::size_t>(std::ceil(kSeedShare * n)), points);
    if (input_.ranker->ranks()) {
      const int explored = static_cast<int>(std::ceil(kExploration * n));
      add_promising(static_cast<std::size_t>(n) - std::min<std::size_t>(points.size() + explored, n), random, points);
    } else {
      add_mutants((static_cast<std::size_t>(n) - points.size()) / 2, random, points);
    }
    add_samples(*input_.space, n - static_cast<int>(points.size()), random, seen_, points);
    return points;
  }

  void observe(std::span<const Trial> batch) override {
    for (const Trial& trial : batch) {
      seen_.insert(trial.point);
      const bool ok = trial.outcome == Outcome::kOk;
      input_.ranker->observe(trial.point, ok ? 1e9 / trial.median_ns : 0.0);
      if (ok) measured_.push_back(trial);
    }
    std::stable_sort(measured_.begin(), measured_.end(),
                     [](const Trial& a, const Trial& b) { return a.median_ns < b.median_ns; });
    input_.ranker->end_batch();
  }

 private:
  void add_seeds(std::size_t n, std::vector<Point>& out) {
    for (const Point& seed : input_.space->seeds()) {
      if (out.size() >= n) return;
      if (seen_.insert(seed)) out.push_back(seed);
    }
  }

  /// The best measured points.
  std::vector<Point> elites() const {
    std::vector<Point> points;
    for (std::size_t i = 0; i < std::min(kElites, measured_.size()); ++i) points.push_back(measured_[i].point);
    return points;
  }

  /// Near relatives of the best measured points: what is done without a model.
  void add_mutants(std::size_t n, std::mt19937_64& random, std::vector<Point>& out) {
    const std::vector<Point> parents = elites();
    if (parents.empty()) return;
    for (std::size_t attempt = 0; attempt < 4 * n && n > 0; ++attempt) {
      auto child = input_.space->mutate(pick(parents, random), 1, random);
      if (!child || !seen_.insert(*child)) continue;
      out.push_back(std::move(*child));
      --n;
    }
  }

  /// What evolution over the model finds best.
  void add_promising(std::size_t n, std::mt19937_64& random, std::vector<Point>& out) {
    SeenPoints bred;
    std::vector<Point> population = elites();
    for (const Point& point : population) bred.insert(point);
    add_samples(*input_.space, kImmigrants, random, bred, population);
    std::vector<double> scores = input_.ranker->score(population);
    for (int generation = 0; generation < kGenerations; ++generation) {
      std::vector<Point> children = breed(population, scores, bred, random);
      const std::vector<double> child_scores = input_.ranker->score(children);
      std::move(children.begin(), children.end(), std::back_inserter(population));
      scores.insert(scores.end(), child_scores.begin(), child_scores.end());
      // What was measured stays a parent but takes no unmeasured one's place in the end.
      keep_best(population, scores, kSurvivors + kElites);
    }
    for (const Point& point : population) {
      if (n == 0) return;
      if (!seen_.insert(point)) continue;
      out.push_back(point);
      --n;
    }
  }

  std::vector<Point> breed(const std::vector<Point>& population, const std::vector<double>& scores, SeenPoints& bred,
                           std::mt19937_64& random) const {
    std::vector<Point> children;
    std::uniform_real_distribution<double> unit(0, 1);
    for (std::size_t attempt = 0; attempt < 3 * kOffspring && children.size() < kOffspring; ++attempt) {
      const Point& parent = tournament(population, scores, random);
      auto child = unit(random) < kMutation
                       ? input_.space->mutate(parent, unit(random) < 0.7 ? 1 : 2, random)
                       : input_.space->crossover(parent, tournament(population, scores, random), random);
      if (child && bred.insert(*child)) children.push_back(std::move(*child));
    }
    return children;
  }

  static const Point& pick(const std::vector<Point>& points, std::mt19937_64& random) {
    return points[std::uniform_int_distribution<std::size_t>(0, points.size() - 1)(random)];
  }

  /// The better of two.
  static const Point& tournament(const std::vector<Point>& population, const std::vector<double>& scores,
                                 std::mt19937_64& random) {
    std::uniform_int_distribution<std::size_t> any(0, population.size() - 1);
    const std::size_t a = any(random), b = any(random);
    return population[scores[a] >= scores[b] ? a : b];
  }

  static void keep_best(std::vector<Point>& population, std::vector<double>& scores, std::size_t n) {
    std::vector<std::size_t> order(population.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    order.resize(std::min(n, order.size()));
    std::vector<Point> kept;
    std::vector<double> kept_scores;
    for (const std::size_t i : order) {
      kept.push_back(std::move(population[i]));
      kept_scores.push_back(scores[i]);
    }
    population = std::move(kept);
    scores = std::move(kept_scores);
  }

  StrategyInput input_;
  SeenPoints seen_;
  std::vector<Trial> measured_;  // ok ones, fastest first
};

}  // namespace

std::unique_ptr<SearchStrategy> make_evolutionary_strategy(const StrategyInput& input) {
  return std::make_unique<EvolutionaryStrategy>(input);
}

}  // namespace nestwright
