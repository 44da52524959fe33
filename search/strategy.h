// Ask and tell. A strategy proposes batches and hears what came of them; it never measures. A batch is a pure function
// of the seed, the number of the batch and the results observed before it, so that a run can be repeated and a killed
// one resumed. Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/ranker.h"
#include "search/remaining_gain.h"
#include "search/search_space.h"
#include "search/trial.h"
#include "search/unseen_points.h"

namespace nestwright {

class SearchStrategy {
 public:
  virtual ~SearchStrategy() = default;
  /// At most `n` points that were neither proposed nor observed before. Fewer, or none, where nothing new was found:
  /// is_exhausted() tells whether nothing is left.
  virtual std::vector<Point> propose(int batch, int n) = 0;
  /// The results of one batch, in its order. Called once a batch, in the order of the batches.
  virtual void observe(std::span<const Trial> batch) = 0;
  /// New labels of trials that were observed and have been measured again or better: confirmed, raced, or timed again
  /// after a disturbance. They replace the old ones at once; the model learns them when it is next trained. A reading
  /// of less weight replaces none of more; what was never observed is ignored. Ends no batch; called between batches.
  virtual void amend(std::span<const Trial> trials) = 0;

  /// True only if every valid point of the space was proposed or observed.
  virtual bool is_exhausted() const = 0;
  /// What is still to be expected, as of the last batch. Does not know the roofline.
  virtual SearchOutlook outlook() const = 0;
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

}  // namespace nestwright
