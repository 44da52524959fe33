// VariantSearch finds the fastest way to make kernels of a model: which groupings are changed, and which kernels have
// tensors with blocked channels. The times of the log decide; where they lack, it says which tasks are to be tuned.
//
//   VariantSearch search(joined(model.graph), target, CacheState::kStream, log);
//   ...                        // tune the first of search.unknown(), as long as their starting points take
//   ...                        // tune search.promising() beside the default kernels
//   const NetworkVariant variant = search.best();
//
// Groupings are decided first, each by the sum of the times of its tasks. Of the kernels that result, the layouts are
// the cheapest ones, conversions included (graph/layout/cheapest_layouts.h). What was not timed is estimated where it
// matters little: conversions by their bytes, and kernels that take less than kNegligible of the whole, which stand
// between others, by their time in the other layout. A variant is raced as a whole before it counts.
// Thread rule: one thread at a time. Times are in nanoseconds.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/grouping/grouping.h"
#include "graph/layout/cheapest_layouts.h"
#include "graph/layout/layout_tasks.h"
#include "nestwright/database.h"
#include "nestwright/lookup.h"

namespace nestwright {

/// A task that an alternative needs.
struct VariantTask {
  std::string workload;
  std::string label;
  double calls = 1;
};

class VariantSearch {
 public:
  /// `joined` is a graph before groupings and layouts (graph/passes/passes.h). It and the log must outlive the search.
  VariantSearch(const Graph& joined, const Target& target, CacheState caches, const TuningLog& log);

  /// The tasks of alternatives that have no time and are not estimated: those of groupings, then those of the first
  /// layout, then of the second, the most expensive first. Without the tasks of default kernels.
  std::vector<VariantTask> unknown();
  /// The tasks of the alternatives that are nearly as fast as the default or faster, and all of best().
  std::vector<VariantTask> promising();
  /// The part of the time of all kernels below which one is estimated.
  static constexpr double kNegligible = 0.005;
  /// The fastest variant by the times of now.
  NetworkVariant best();
  /// What is worth a race, best() first: then the groupings that are at most a tenth slower than the default, as
  /// kernels do not show alone what it costs that the tensors between them leave the caches; and if best() has blocks,
  /// its groupings without them, and with as many blocks as possible. Some may be equal.
  std::vector<NetworkVariant> contenders();
  /// The same groupings, but all kernels that may have blocks of that many channels have them.
  NetworkVariant uniform(int block);
  /// The channels of a block: as many as a vector has lanes, and twice as many.
  const std::vector<int>& blocks() const { return blocks_; }

 private:
  /// The graph after the groupings that are fastest now, and what its layouts cost.
  struct Grouped {
    std::vector<NetworkVariant::Grouping> groupings;
    Graph graph;
    std::vector<Layouts> possible;
    std::vector<LayoutTask> tasks;
    LayoutProblem problem;
  };

  std::optional<double> time_of(const std::string& workload);
  Grouped grouped();
  /// Which sites are faster changed, also as groupings.
  std::vector<bool> chosen_groupings(double scale, std::vector<NetworkVariant::Grouping>& groupings);
  LayoutCosts costs_of(const Grouped& grouped);
  static NetworkVariant best_of(const Grouped& grouped);
  std::string label_of_site(std::size_t site) const;

  /// The sum of the times of the default kernels that are known.
  double default_ns();

  const Graph& joined_;
  const Target target_;
  const CacheState caches_;
  const TuningLog& log_;
  std::vector<int> blocks_;
  std::vector<GroupingSite> sites_;
  std::vector<GroupingTasks> site_tasks_;
  std::map<std::string, double> default_calls_;  ///< of each default kernel
};

}  // namespace nestwright
