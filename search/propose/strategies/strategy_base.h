// The common base of strategies: it tracks the seen points and the measured trials, and fills a batch with uniform
// samples. A derived strategy only implements choose(). Thread rule: one thread at a time.
#pragma once

#include <optional>
#include <random>
#include <utility>

#include "search/propose/measured_trials.h"
#include "search/propose/strategy.h"

namespace nestwright {

class StrategyBase : public SearchStrategy {
 public:
  std::vector<Point> propose(int batch, int n) final;
  void observe(std::span<const SessionTrial> batch) final;
  void amend(std::span<const SessionTrial> trials) final;
  void transfer(std::vector<Point> points) final { transferred_ = std::move(points); }
  bool is_exhausted() const final;
  SearchOutlook outlook() const final;

 protected:
  /// A strategy that uses the model requires input.ranker, which is nullptr for others.
  explicit StrategyBase(const StrategyInput& input);

  /// Adds up to `n` unseen points to `out`, which is empty, and marks them as seen. A point that is marked but not
  /// added is never measured.
  virtual void choose(int batch, int n, std::mt19937_64& random, std::vector<Point>& out) = 0;

  const SearchSpace& space() const { return *input_.space; }
  Ranker& ranker() { return *input_.ranker; }
  std::uint64_t seed() const { return input_.seed; }
  double share() const { return input_.share; }
  SeenPoints& seen() { return seen_; }
  const MeasuredTrials& measured() const { return measured_; }

  /// Adds unseen starting points up to `share` of the batch: the template's default, then the other seeds alternating
  /// with the transferred points. The default is the first point of every search.
  void add_starting_points(double share, int n, std::mt19937_64& random, std::vector<Point>& out);
  /// Adds up to `n` uniform samples that are not `in`, as add_samples() does, and counts them.
  void draw_samples(int n, std::mt19937_64& random, SeenPoints& in, std::vector<Point>& out);
  /// Records the scores of the best unmeasured candidate and of the incumbent, by the same model.
  void note_prediction(double best_unmeasured, double incumbent);

 private:
  bool has_starting_points() const;
  void count_sampled(std::span<const Point> points);
  bool trains_ranker() const { return input_.ranker != nullptr && !input_.is_part; }

  StrategyInput input_;
  std::vector<Point> transferred_;
  SeenPoints seen_;
  std::int64_t seen_valid_ = 0;
  MeasuredTrials measured_;
  UnseenPoints unseen_;
  bool uses_starting_points_ = false;
  std::optional<double> predicted_gain_;
};

/// The random stream of a batch.
std::mt19937_64 batch_random(std::uint64_t seed, int batch);

}  // namespace nestwright
