#include "search/strategies/evolutionary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "search/quota.h"
#include "search/strategies/strategy_base.h"

namespace nestwright {
namespace {

constexpr std::size_t kElites = 24;     // measured points that breed
constexpr int kFirstPool = 512;         // uniform samples that are ranked from the first batch on
constexpr int kPoolGrowth = 24;         // more of them a batch: in the end thousands, each lowered once
constexpr std::size_t kOffspring = 32;  // bred a generation
constexpr std::size_t kSurvivors = 48;  // kept a generation
constexpr int kGenerations = 2;
constexpr double kNearBest = 1.1;     // what is like a point slower than this, relative to the best, is not measured
constexpr double kMutation = 0.85;    // share of offspring by mutation, the rest by crossover (Ansor, MetaSchedule)
constexpr double kMutantShare = 0.5;  // of what seeds leave of a batch, as long as there is no model that ranks
constexpr double kExploration = 0.1;  // share of a batch that is sampled, whatever the model says
constexpr double kSeedShare = 0.75;   // of the first batches, as long as seeds last

class EvolutionaryStrategy final : public StrategyBase {
 public:
  explicit EvolutionaryStrategy(const StrategyInput& input) : StrategyBase(input, ModelUse::kRanks) {}

 private:
  void choose(int batch, int n, std::mt19937_64& random, std::vector<Point>& out) override {
    add_starting_points(kSeedShare, n, random, out);
    const int left = n - static_cast<int>(out.size());
    if (ranker().ranks()) {
      add_promising(batch, left - std::min(draw_quota(kExploration, n, random), left), random, out);
    } else {
      add_mutants(draw_quota(kMutantShare, left, random), random, out);
    }
  }

  /// Near relatives of the best measured points: what is done without a model.
  void add_mutants(int n, std::mt19937_64& random, std::vector<Point>& out) {
    const std::vector<Point> parents = measured().fastest(kElites);
    if (parents.empty()) return;
    for (int attempt = 0, limit = 4 * n; attempt < limit && n > 0; ++attempt) {
      auto child = space().mutate(any_of(parents, random), 1, random);
      if (!child || !seen().insert(*child)) continue;
      out.push_back(std::move(*child));
      --n;
    }
  }

  /// What evolution over the model finds best, beside the best of the pool.
  void add_promising(int batch, int n, std::mt19937_64& random, std::vector<Point>& out) {
    if (n == 0) return;
    grow_pool(batch);
    SeenPoints bred;
    std::vector<Point> population = measured().fastest(kElites);
    for (const Point& point : population) bred.insert(point);
    const std::size_t elites = population.size();
    std::vector<double> scores = ranker().score(population);
    add_best_of_pool(bred, population, scores);
    for (int generation = 0; generation < kGenerations && !population.empty(); ++generation) {
      std::vector<Point> children = breed(population, scores, bred, random);
      const std::vector<double> child_scores = ranker().score(children);
      std::move(children.begin(), children.end(), std::back_inserter(population));
      scores.insert(scores.end(), child_scores.begin(), child_scores.end());
      keep_best(population, scores, elites, kSurvivors);
    }
    pick(population, scores, n, out);
  }

  /// The samples of every batch up to this one: what is in the pool does not depend on what was measured, so that a
  /// resumed search has the same.
  void grow_pool(int batch) {
    for (; pool_batches_ <= batch; ++pool_batches_) {
      std::mt19937_64 random = batch_random(~seed(), pool_batches_);
      add_samples(space(), pool_batches_ == 0 ? kFirstPool : kPoolGrowth, random, pooled_, pool_);
    }
  }

  /// The best kSurvivors of the pool that were not measured.
  void add_best_of_pool(SeenPoints& bred, std::vector<Point>& population, std::vector<double>& scores) {
    // Scores hold as long as the model is the same.
    if (scored_by_ != ranker().generation()) pool_scores_.clear();
    scored_by_ = ranker().generation();
    const std::vector<double> added_scores = ranker().score(std::span(pool_).subspan(pool_scores_.size()));
    pool_scores_.insert(pool_scores_.end(), added_scores.begin(), added_scores.end());

    std::vector<std::size_t> order(pool_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return pool_scores_[a] > pool_scores_[b]; });
    std::size_t added = 0;
    for (const std::size_t i : order) {
      if (added == kSurvivors) return;
      if (seen().contains(pool_[i]) || !bred.insert(pool_[i])) continue;
      population.push_back(pool_[i]);
      scores.push_back(pool_scores_[i]);
      ++added;
    }
  }

  /// The first `n` that are new, and like none of each other or of those that were measured and are slow.
  void pick(const std::vector<Point>& population, const std::vector<double>& scores, int n, std::vector<Point>& out) {
    std::set<std::uint64_t> alike = slow_likenesses();
    const auto likeness = ranker().likeness(population);
    bool is_best = true;
    for (std::size_t i = 0; i < population.size() && n > 0; ++i) {
      if (seen().contains(population[i])) continue;
      if (!likeness[i] || !alike.insert(*likeness[i]).second) continue;
      // The first of the population is the incumbent, where there is one.
      if (is_best && measured().best() != nullptr) note_prediction(scores[i], scores.front());
      is_best = false;
      seen().insert(population[i]);
      out.push_back(population[i]);
      --n;
    }
  }

  /// Of what was measured and is slow. A disturbed trial is called slow no more than fast.
  std::set<std::uint64_t> slow_likenesses() {
    const std::vector<Trial>& trials = measured().all();
    std::vector<Point> fresh;
    for (std::size_t i = likenesses_.size(); i < trials.size(); ++i) fresh.push_back(trials[i].point);
    for (const auto& likeness : ranker().likeness(fresh)) likenesses_.push_back(likeness);
    std::set<std::uint64_t> alike;
    const Trial* best = measured().best();
    for (std::size_t i = 0; best != nullptr && i < trials.size(); ++i) {
      const bool is_slow = trials[i].is_sound() && trials[i].median_ns > kNearBest * best->median_ns;
      if (is_slow && likenesses_[i]) alike.insert(*likenesses_[i]);
    }
    return alike;
  }

  std::vector<Point> breed(const std::vector<Point>& population, const std::vector<double>& scores, SeenPoints& bred,
                           std::mt19937_64& random) const {
    std::vector<Point> children;
    std::uniform_real_distribution<double> unit(0, 1);
    for (std::size_t attempt = 0; attempt < 3 * kOffspring && children.size() < kOffspring; ++attempt) {
      const Point& parent = tournament(population, scores, random);
      auto child = unit(random) < kMutation ? space().mutate(parent, unit(random) < 0.7 ? 1 : 2, random)
                                            : space().crossover(parent, tournament(population, scores, random), random);
      if (child && bred.insert(*child)) children.push_back(std::move(*child));
    }
    return children;
  }

  static const Point& any_of(const std::vector<Point>& points, std::mt19937_64& random) {
    return points[std::uniform_int_distribution<std::size_t>(0, points.size() - 1)(random)];
  }

  /// The better of two.
  static const Point& tournament(const std::vector<Point>& population, const std::vector<double>& scores,
                                 std::mt19937_64& random) {
    std::uniform_int_distribution<std::size_t> any(0, population.size() - 1);
    const std::size_t a = any(random), b = any(random);
    return population[scores[a] >= scores[b] ? a : b];
  }

  /// Keeps the first `elites`, which were measured and stay parents, and of the others the best `n`, the best first.
  static void keep_best(std::vector<Point>& population, std::vector<double>& scores, std::size_t elites,
                        std::size_t n) {
    std::vector<std::size_t> order(population.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(elites), order.end(),
                     [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    order.resize(std::min(elites + n, order.size()));
    std::vector<Point> kept;
    std::vector<double> kept_scores;
    for (const std::size_t i : order) {
      kept.push_back(std::move(population[i]));
      kept_scores.push_back(scores[i]);
    }
    population = std::move(kept);
    scores = std::move(kept_scores);
  }

  std::vector<std::optional<std::uint64_t>> likenesses_;  // of the first of measured().all()
  std::vector<Point> pool_;
  std::vector<double> pool_scores_;  // of the first of them
  std::size_t scored_by_ = 0;        // the ranker's generation
  SeenPoints pooled_;
  int pool_batches_ = 0;  // whose samples are in the pool
};

}  // namespace

std::unique_ptr<SearchStrategy> make_evolutionary_strategy(const StrategyInput& input) {
  return std::make_unique<EvolutionaryStrategy>(input);
}

}  // namespace nestwright
