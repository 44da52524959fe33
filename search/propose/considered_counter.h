// Counts the points that a search considers: sampled uniformly, ranked by the cost model, or without features to rank
// them by. It changes no proposal. Thread rule: one thread at a time.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>

#include "nestwright/records.h"

namespace nestwright {

class ConsideredCounter {
 public:
  /// Counts points that were not counted as sampled before.
  void add_sampled(std::span<const Point> points);
  /// Counts a point that was not counted as ranked before.
  void add_ranked(const Point& point);
  /// Counts a point that was to be ranked and cannot be lowered, once.
  void add_not_lowered(const Point& point);

  std::int64_t total() const { return total_; }  ///< of all three
  SearchFunnel funnel() const;

 private:
  using OfValue = std::map<std::pair<std::string, KnobValue>, ConsideredPoints>;  ///< by label and value
  struct OfTemplate {
    ConsideredPoints points;
    std::map<std::string, OfValue> knobs;
  };

  void count(const Point& point, std::int64_t ConsideredPoints::* stage);

  std::map<std::pair<std::string, int>, OfTemplate> templates_;  ///< by name and version
  std::int64_t total_ = 0;
};

}  // namespace nestwright
