// The trials of a search, each point once, with its newest label: what strategies choose parents from. A label is not
// final: a trial that was disturbed, confirmed or raced again is recorded again. None is ever dropped, so that the
// incumbent cannot be lost and a parent that turns out slow gives way to the next one.
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "search/trial.h"

namespace nestwright {

class MeasuredTrials {
 public:
  /// Adds trials, or replaces the labels of points that are known. A reading of less weight replaces none of more.
  void record(std::span<const Trial> trials);

  bool contains(const Point& point) const { return index_.contains(point.key()); }
  /// In the order in which their points came first; failures are among them.
  const std::vector<Trial>& all() const { return trials_; }
  /// The fastest sound one; nullptr where there is none.
  const Trial* best() const;
  /// Up to `n` points of ok trials: the sound ones first, the fastest of them first; then the disturbed ones likewise.
  std::vector<Point> fastest(std::size_t n) const;

 private:
  /// The ok ones of all(), in the order of fastest(). Sorts where something was recorded since: a long history is
  /// recorded batch by batch, and asked for once.
  const std::vector<std::size_t>& ranked() const;

  std::vector<Trial> trials_;
  std::unordered_map<std::string, std::size_t> index_;  ///< into trials_, by the point's key
  mutable std::vector<std::size_t> ranked_;             ///< what ranked() gives, where it is up to date
  mutable bool is_ranked_ = true;
};

}  // namespace nestwright
