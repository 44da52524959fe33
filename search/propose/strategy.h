// The interface of search strategies (ask and tell): a strategy proposes batches of points and observes their results;
// it never measures. A batch is a pure function of the seed, the batch number and the results observed before it, so
// that runs can be repeated and resumed. Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "search/budget/remaining_gain.h"
#include "search/propose/considered_counter.h"
#include "search/propose/ranker.h"
#include "search/propose/session_trial.h"
#include "search/propose/unseen_points.h"
#include "search/space/search_space.h"

namespace nestwright {

/// A search strategy; make_strategy makes each of them.
class SearchStrategy {
 public:
  virtual ~SearchStrategy() = default;
  /// At most `n` points that were neither proposed nor observed before. Fewer, or none, where no new point was found;
  /// is_exhausted() says whether there is any left.
  virtual std::vector<Point> propose(int batch, int n) = 0;
  /// Takes the results of one batch, in its order. Called once for each batch, in the order of the batches.
  virtual void observe(std::span<const SessionTrial> batch) = 0;
  /// Replaces the labels of observed trials that were confirmed, raced, or timed again after a disturbance. The model
  /// learns them in its next training. Ignores labels of less weight than the old one, and points never observed.
  /// Called between batches; does not end one.
  virtual void amend(std::span<const SessionTrial> trials) = 0;

  /// Replaces the transferred points, which did well for other shapes and are adapted to this one, the best first.
  /// Those that were proposed or observed before are not proposed again. Called between batches.
  virtual void transfer(std::vector<Point> points) = 0;

  /// True only if it is certain that every valid point of the space was proposed or observed.
  virtual bool is_exhausted() const = 0;
  /// The outlook after the last batch, without the roofline.
  virtual SearchOutlook outlook() const = 0;
};

/// What a strategy works on. The space and the ranker outlive the strategy.
struct StrategyInput {
  const SearchSpace* space = nullptr;
  Ranker* ranker = nullptr;  ///< for strategies that use the model
  std::uint64_t seed = 1;
  /// The share, above 0 and at most 1, of the effort that does not depend on the size of a batch, such as samples that
  /// are scored.
  double share = 1;
  /// Whether the space is one template's of several: then the search over all of them passes trials to the ranker.
  bool is_part = false;
  ConsideredCounter* considered = nullptr;  ///< counts the samples, and outlives the strategy; null: nobody does
};

}  // namespace nestwright
