#include "search/propose/strategies/evolutionary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "search/propose/quota.h"
#include "search/propose/strategies/strategy_base.h"

namespace nestwright {
namespace {

constexpr std::size_t kElites = 24;            // measured points that breed
constexpr int kFirstPool = 512;                // uniform samples that the first batch ranks
constexpr int kPoolGrowth = 24;                // samples that each batch adds, each lowered once
constexpr int kPoolBatches = 150;              // that add some: a start after a million trials lowers no more
constexpr std::size_t kOffspringPerPoint = 2;  // of the batch, bred in each generation
constexpr std::size_t kMinOffspring = 8;
constexpr std::size_t kSurvivors = 48;  // kept in each generation
constexpr int kGenerations = 2;
constexpr double kNearBest = 1.1;     // points that resemble one slower than this, relative to the best, are skipped
constexpr double kMutation = 0.85;    // share of offspring by mutation, the rest by crossover (Ansor, MetaSchedule)
constexpr double kMutantShare = 0.5;  // of a batch after the seeds, as long as no model ranks
constexpr double kExploration = 0.1;  // share of a batch that is sampled even if a model ranks
constexpr double kSeedShare = 0.75;   // of a batch, as long as seeds are left

class EvolutionaryStrategy final : public StrategyBase {
 public:
  explicit EvolutionaryStrategy(const StrategyInput& input) : StrategyBase(input) {}

 private:
  void choose(int batch, int n, std::mt19937_64& random, std::vector<Point>& out) override {
    add_starting_points(kSeedShare, n, random, out);
    const int left = n - static_cast<int>(out.size());
    if (ranker().can_rank()) {
      const std::size_t offspring = std::max(kMinOffspring, kOffspringPerPoint * static_cast<std::size_t>(n));
      add_promising(batch, left - std::min(draw_quota(kExploration, n, random), left), offspring, random, out);
    } else {
      add_mutants(draw_quota(kMutantShare, left, random), random, out);
    }
  }

  /// Mutants of the best measured points, used without a model.
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

  /// The best points found by evolution over the model, starting from the best measured ones and the best of the pool.
  void add_promising(int batch, int n, std::size_t offspring, std::mt19937_64& random, std::vector<Point>& out) {
    if (n == 0) return;
    grow_pool(batch);
    SeenPoints bred;
    std::vector<Point> population = measured().fastest(kElites);
    for (const Point& point : population) bred.insert(point);
    const std::size_t elites = population.size();
    std::vector<double> scores = ranker().score(population);
    add_best_of_pool(bred, population, scores);
    for (int generation = 0; generation < kGenerations && !population.empty(); ++generation) {
      std::vector<Point> children = breed(population, scores, offspring, bred, random);
      const std::vector<double> child_scores = ranker().score(children);
      std::move(children.begin(), children.end(), std::back_inserter(population));
      scores.insert(scores.end(), child_scores.begin(), child_scores.end());
      keep_best(population, scores, elites, kSurvivors);
    }
    pick(population, scores, n, out);
  }

  /// Adds the samples of every batch up to this one, of the first kPoolBatches. The pool does not depend on
  /// measurements, so that a resumed search has the same pool.
  void grow_pool(int batch) {
    for (; pool_batches_ <= std::min(batch, kPoolBatches); ++pool_batches_) {
      std::mt19937_64 random = batch_random(~seed(), pool_batches_);
      const int samples = pool_batches_ == 0 ? kFirstPool : kPoolGrowth;
      draw_samples(static_cast<int>(std::lround(share() * samples)), random, pooled_, pool_);
    }
  }

  /// Adds the best kSurvivors of the pool that were not proposed yet.
  void add_best_of_pool(SeenPoints& bred, std::vector<Point>& population, std::vector<double>& scores) {
    // Scores are valid as long as the model is the same.
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

  /// Takes the first `n` new points, skipping near-duplicates of each other and of slow measured points.
  void pick(const std::vector<Point>& population, const std::vector<double>& scores, int n, std::vector<Point>& out) {
    std::set<std::uint64_t> alike = slow_likenesses();
    const auto likeness = ranker().likeness(population);
    bool is_best = true;
    for (std::size_t i = 0; i < population.size() && n > 0; ++i) {
      if (seen().contains(population[i])) continue;
      if (!likeness[i] || !alike.insert(*likeness[i]).second) continue;
      // The first of the population is the incumbent, if there is one.
      if (is_best && measured().best() != nullptr) note_prediction(scores[i], scores.front());
      is_best = false;
      seen().insert(population[i]);
      out.push_back(population[i]);
      --n;
    }
  }

  /// The likenesses of slow measured points. A disturbed trial counts as neither slow nor fast.
  std::set<std::uint64_t> slow_likenesses() {
    const std::vector<SessionTrial>& trials = measured().all();
    std::vector<Point> fresh;
    for (std::size_t i = likenesses_.size(); i < trials.size(); ++i) fresh.push_back(trials[i].point);
    for (const auto& likeness : ranker().likeness(fresh)) likenesses_.push_back(likeness);
    std::set<std::uint64_t> alike;
    const SessionTrial* best = measured().best();
    for (std::size_t i = 0; best != nullptr && i < trials.size(); ++i) {
      const bool is_slow = trials[i].is_sound() && trials[i].ns > kNearBest * best->ns;
      if (is_slow && likenesses_[i]) alike.insert(*likenesses_[i]);
    }
    return alike;
  }

  std::vector<Point> breed(const std::vector<Point>& population, const std::vector<double>& scores, std::size_t n,
                           SeenPoints& bred, std::mt19937_64& random) const {
    std::vector<Point> children;
    std::uniform_real_distribution<double> unit(0, 1);
    for (std::size_t attempt = 0; attempt < 3 * n && children.size() < n; ++attempt) {
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

  /// The better of two random points.
  static const Point& tournament(const std::vector<Point>& population, const std::vector<double>& scores,
                                 std::mt19937_64& random) {
    std::uniform_int_distribution<std::size_t> any(0, population.size() - 1);
    const std::size_t a = any(random), b = any(random);
    return population[scores[a] >= scores[b] ? a : b];
  }

  /// Keeps the first `elites`, which stay parents, and the best `n` of the others, the best first.
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

  std::vector<std::optional<std::uint64_t>> likenesses_;  // of a prefix of measured().all()
  std::vector<Point> pool_;
  std::vector<double> pool_scores_;  // of a prefix of pool_
  std::size_t scored_by_ = 0;        // the ranker's generation
  SeenPoints pooled_;
  int pool_batches_ = 0;  // batches whose samples are in the pool
};

}  // namespace

std::unique_ptr<SearchStrategy> make_evolutionary_strategy(const StrategyInput& input) {
  return std::make_unique<EvolutionaryStrategy>(input);
}

}  // namespace nestwright
