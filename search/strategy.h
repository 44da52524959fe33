// Ask and tell. A strategy proposes batches and hears what came of them; it never measures. A batch is a pure function
// of the seed, the number of the batch and the results observed before it, so that a run can be repeated and a killed
// one resumed. Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "measure/measurement.h"
#include "search/ranker.h"
#include "search/search_space.h"

namespace nestwright {

/// What a strategy hears of one measured point.
struct Trial {
  Point point;
  Outcome outcome = Outcome::kOk;
  double median_ns = 0;  ///< of an ok one
};

class SearchStrategy {
 public:
  virtual ~SearchStrategy() = default;
  /// At most `n` points that were neither proposed nor observed before; fewer, or none, where the space is exhausted.
  virtual std::vector<Point> propose(int batch, int n) = 0;
  /// The results of one batch, in its order. Called once a batch, in the order of the batches.
  virtual void observe(std::span<const Trial> batch) = 0;
};

/// What every strategy works on. Outlives the strategy.
struct StrategyInput {
  const SearchSpace* space = nullptr;
  Ranker* ranker = nullptr;  ///< used by the strategies that search over the model
  std::uint64_t seed = 1;
  /// Points that did well for other shapes, made to fit this one; the best first.
  std::vector<Point> transferred;
};

/// Throws UsageError that lists the known names.
std::unique_ptr<SearchStrategy> make_strategy(std::string_view name, const StrategyInput& input);
std::vector<std::string> strategy_names();

/// The random stream of one batch.
std::mt19937_64 batch_random(std::uint64_t seed, int batch);

/// Points that were proposed or observed; none is proposed twice.
class SeenPoints {
 public:
  /// False where it was there already.
  bool insert(const Point& point) { return keys_.insert(point.key()).second; }
  bool contains(const Point& point) const { return keys_.contains(point.key()); }

 private:
  std::set<std::string> keys_;
};

/// Tells the ranker what came of a batch, which ends with it.
void tell_ranker(Ranker& ranker, std::span<const Trial> batch);

/// Adds the ok trials of a batch to `best`, which is sorted, fastest first, and keeps the first `most`.
void keep_fastest(std::span<const Trial> batch, std::size_t most, std::vector<Trial>& best);

/// Adds unseen starting points until `out` has `limit`: the template's default, then what is transferred and the other
/// seeds by turns.
void add_starting_points(const StrategyInput& input, std::size_t limit, SeenPoints& seen, std::vector<Point>& out);

/// Adds up to `n` unseen uniform samples to `out`; gives up after many that were seen, as in a space nearly exhausted.
void add_samples(const SearchSpace& space, int n, std::mt19937_64& random, SeenPoints& seen, std::vector<Point>& out);

}  // namespace nestwright
