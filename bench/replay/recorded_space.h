// A search space that consists of recorded points, for comparing strategies without measuring. It is a subset of the
// task's space: mutation and crossover return the recorded point that differs from their result in the fewest knobs,
// and of several the one whose values are nearest.
// Samples are drawn only from points that the record drew uniformly, so that sampling is no better here than in the
// full space; points that a survey found by climbing can only be reached by climbing. (Kernel Tuner's simulation mode
// replays a full space; these spaces are too large for that.)
// Thread rule: immutable once built; any thread may read it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "search/space/search_space.h"

namespace nestwright {

struct RecordedPoint {
  Point point;
  bool is_sample = false;  ///< drawn uniformly from the valid points
};

class RecordedSpace final : public SearchSpace {
 public:
  /// Leaves out duplicates and points that are not in the task's space. Only recorded seeds remain seeds.
  RecordedSpace(const Task& task, const std::vector<RecordedPoint>& points);

  const std::vector<Point>& points() const { return points_; }
  std::vector<Part> parts() const override;
  bool contains(const Point& point) const { return index_.contains(point.key()); }

  std::optional<Point> sample(std::mt19937_64& random) const override;
  std::optional<Point> mutate(const Point& point, int changes, std::mt19937_64& random) const override;
  std::optional<Point> crossover(const Point& a, const Point& b, std::mt19937_64& random) const override;
  unsigned __int128 size() const override { return points_.size(); }
  Point at(unsigned __int128 index) const override;
  bool is_valid(const Point& point) const override { return contains(point); }
  std::optional<double> exact_valid_points() const override { return static_cast<double>(points_.size()); }

 private:
  /// The recorded points of `whole`.
  RecordedSpace(const SearchSpace& whole, const std::vector<RecordedPoint>& points);

  /// One number for each knob of any template, equal for equal values; -1 where the point does not have the knob.
  using Code = std::vector<int>;

  Code encode(const Point& point) const;
  /// The recorded point that differs from `wanted` in the fewest knobs and, of these, the one whose numbers are
  /// nearest; ties are drawn at random. Never one of `but`.
  std::optional<Point> nearest(const Point& wanted, const std::vector<const Point*>& but,
                               std::mt19937_64& random) const;

  std::vector<Point> points_;
  std::vector<char> is_sample_;                    ///< of points_
  std::map<std::string, std::size_t> index_;       ///< by key
  std::vector<std::vector<std::size_t>> samples_;  ///< of each template that has some
  std::map<std::string, std::size_t> columns_;
  std::map<std::pair<std::size_t, std::string>, int> values_;
  std::vector<Code> codes_;  ///< of points_
};

}  // namespace nestwright
