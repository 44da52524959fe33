#include "search/strategies/evolutionary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace nestwright {
namespace {

constexpr std::size_t kElites = 24;     // measured points that breed
constexpr int kFirstPool = 512;         // uniform samples that are ranked from the first batch on
constexpr int kPoolGrowth = 24;         // more of them a batch: in the end thousands, each lowered once
constexpr std::size_t kOffspring = 32;  // bred a generation
constexpr std::size_t kSurvivors = 48;  // kept a generation
constexpr int kGenerations = 2;
constexpr double kNearBest =
    1.1;  // what is like a point that is slower than this, relative to the best, is not measured
constexpr double kMutation = 0.85;    // share of offspring by mutation, the rest by crossover (Ansor, MetaSchedule)
constexpr double kExploration = 0.1;  // share of a batch that is sampled, whatever the model says
constexpr double kSeedShare = 0.75;   // of the first batches, as long as seeds last

class EvolutionaryStrategy final : public SearchStrategy {
 public:
  explicit EvolutionaryStrategy(const StrategyInput& input) : input_(input) {}

  std::vector<Point> propose(int batch, int n) override {
    std::mt19937_64 random = batch_random(input_.seed, batch);
    std::vector<Point> points;
    add_starting_points(input_, static_cast<std::size_t>(std::ceil(kSeedShare * n)), seen_, points);
    if (input_.ranker->ranks()) {
      const int explored = static_cast<int>(std::ceil(kExploration * n));
      add_promising(batch, static_cast<std::size_t>(n) - std::min<std::size_t>(points.size() + explored, n), random,
                    points);
    } else {
      add_mutants((static_cast<std::size_t>(n) - points.size()) / 2, random, points);
    }
    add_samples(*input_.space, n - static_cast<int>(points.size()), random, seen_, points);
    return points;
  }

  void observe(std::span<const Trial> batch) override {
    for (const Trial& trial : batch) {
      seen_.insert(trial.point);
      if (trial.outcome == Outcome::kOk) timed_.push_back(trial);
    }
    keep_fastest(batch, timed_.size(), measured_);
    tell_ranker(*input_.ranker, batch);
  }

 private:
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
      auto child = input_.space->mutate(any_of(parents, random), 1, random);
      if (!child || !seen_.insert(*child)) continue;
      out.push_back(std::move(*child));
      --n;
    }
  }

  /// What evolution over the model finds best, beside the best of the pool.
  void add_promising(int batch, std::size_t n, std::mt19937_64& random, std::vector<Point>& out) {
    if (n == 0) return;
    grow_pool(batch);
    SeenPoints bred;
    std::vector<Point> population = elites();
    for (const Point& point : population) bred.insert(point);
    std::vector<double> scores = input_.ranker->score(population);
    add_best_of_pool(bred, population, scores);
    for (int generation = 0; generation < kGenerations && !population.empty(); ++generation) {
      std::vector<Point> children = breed(population, scores, bred, random);
      const std::vector<double> child_scores = input_.ranker->score(children);
      std::move(children.begin(), children.end(), std::back_inserter(population));
      scores.insert(scores.end(), child_scores.begin(), child_scores.end());
      // What was measured stays a parent but takes no unmeasured one's place in the end.
      keep_best(population, scores, kSurvivors + kElites);
    }
    pick(population, n, out);
  }

  /// The samples of every batch up to this one: what is in the pool does not depend on what was measured, so that a
  /// resumed search has the same.
  void grow_pool(int batch) {
    for (; pool_batches_ <= batch; ++pool_batches_) {
      std::mt19937_64 random = batch_random(~input_.seed, pool_batches_);
      add_samples(*input_.space, pool_batches_ == 0 ? kFirstPool : kPoolGrowth, random, pooled_, pool_);
    }
  }

  /// The best kSurvivors of the pool that were not measured.
  void add_best_of_pool(SeenPoints& bred, std::vector<Point>& population, std::vector<double>& scores) {
    // Scores hold as long as the model is the same.
    if (scored_by_ != input_.ranker->generation()) pool_scores_.clear();
    scored_by_ = input_.ranker->generation();
    const std::vector<double> added_scores = input_.ranker->score(std::span(pool_).subspan(pool_scores_.size()));
    pool_scores_.insert(pool_scores_.end(), added_scores.begin(), added_scores.end());

    std::vector<std::size_t> order(pool_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return pool_scores_[a] > pool_scores_[b]; });
    std::size_t added = 0;
    for (const std::size_t i : order) {
      if (added == kSurvivors) return;
      if (seen_.contains(pool_[i]) || !bred.insert(pool_[i])) continue;
      population.push_back(pool_[i]);
      scores.push_back(pool_scores_[i]);
      ++added;
    }
  }

  /// The first `n` that are new, and like none of each other or of those that were measured and are slow.
  void pick(const std::vector<Point>& population, std::size_t n, std::vector<Point>& out) {
    std::set<std::uint64_t> alike = slow_likenesses();
    const auto likeness = input_.ranker->likeness(population);
    for (std::size_t i = 0; i < population.size() && n > 0; ++i) {
      if (seen_.contains(population[i])) continue;
      if (!likeness[i] || !alike.insert(*likeness[i]).second) continue;
      seen_.insert(population[i]);
      out.push_back(population[i]);
      --n;
    }
  }

  std::set<std::uint64_t> slow_likenesses() {
    std::vector<Point> fresh;
    for (std::size_t i = likenesses_.size(); i < timed_.size(); ++i) fresh.push_back(timed_[i].point);
    for (const auto& likeness : input_.ranker->likeness(fresh)) likenesses_.push_back(likeness);
    std::set<std::uint64_t> alike;
    for (std::size_t i = 0; i < timed_.size(); ++i) {
      const bool is_slow = timed_[i].median_ns > kNearBest * measured_.front().median_ns;
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
      auto child = unit(random) < kMutation
                       ? input_.space->mutate(parent, unit(random) < 0.7 ? 1 : 2, random)
                       : input_.space->crossover(parent, tournament(population, scores, random), random);
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
  std::vector<Trial> measured_;                           // ok ones, fastest first
  std::vector<Trial> timed_;                              // the same, in the order in which they came
  std::vector<std::optional<std::uint64_t>> likenesses_;  // of the first of timed_
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
