// A search space of recorded points alone: what strategies are compared in without measuring anything. It is a seeded
// subset of the task's space, declared by the record, and strategies choose within it: a mutated or crossed point is
// the recorded one that differs from it in the fewest knobs. Samples are uniform over those of the points that were
// drawn uniformly, so that a sample is as good here as in the whole space; what a survey found by climbing is reached
// by climbing alone. Kernel Tuner's simulation mode replays a whole space; these are too large for that.
// Thread rule: immutable once built; any thread may read it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "search/search_space.h"

namespace nestwright {

struct RecordedPoint {
  Point point;
  bool is_sample = false;  ///< drawn uniformly from the valid points
};

class RecordedSpace final : public SearchSpace {
 public:
  /// Points that are none of the task's, or are there twice, are left out. Seeds are those that were recorded.
  RecordedSpace(const Task& task, const std::vector<RecordedPoint>& points);

  const std::vector<Point>& points() const { return points_; }
  bool contains(const Point& point) const { return index_.contains(point.key()); }

  std::optional<Point> sample(std::mt19937_64& random) const override;
  std::optional<Point> mutate(const Point& point, int changes, std::mt19937_64& random) const override;
  std::optional<Point> crossover(const Point& a, const Point& b, std::mt19937_64& random) const override;
  unsigned __int128 size() const override { return points_.size(); }
  Point at(unsigned __int128 index) const override;
  bool is_valid(const Point& point) const override { return contains(point); }
  std::optional<double> exact_valid_points() const override { return static_cast<double>(points_.size()); }

 private:
  /// One number a knob of any template, -1 where the point has none of that name: equal for equal values only.
  using Code = std::vector<int>;

  Code encode(const Point& point) const;
  /// The recorded point that differs from `wish` in the fewest knobs, ties drawn by lot; none of those named.
  std::optional<Point> nearest(const Point& wish, const std::vector<const Point*>& but, std::mt19937_64& random) const;

  std::vector<Point> points_;
  std::map<std::string, std::size_t> index_;  ///< by key
  std::vector<std::size_t> samples_;
  std::map<std::string, std::size_t> columns_;
  std::map<std::pair<std::size_t, std::string>, int> values_;
  std::vector<Code> codes_;  ///< of points_
};

}  // namespace nestwright
