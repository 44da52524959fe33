// The trials of a search, one for each point with its newest label: strategies choose parents from them. Labels change:
// a disturbed, confirmed or raced trial is recorded again. No trial is dropped, so that the incumbent is never lost and
// a parent that turns out slow is replaced by the next one.
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "search/propose/session_trial.h"

namespace nestwright {

class MeasuredTrials {
 public:
  /// Adds trials, and updates the labels of known points except where the new label has less weight.
  void record(std::span<const SessionTrial> trials);

  bool contains(const Point& point) const { return index_.contains(point.key()); }
  /// All trials, failures included, in the order in which their points were first recorded.
  const std::vector<SessionTrial>& all() const { return trials_; }
  /// The fastest sound trial; nullptr where there is none.
  const SessionTrial* best() const;
  /// Up to `n` points of successful trials: sound ones by increasing time, then disturbed ones by increasing time.
  std::vector<Point> fastest(std::size_t n) const;

 private:
  /// Indices of the successful trials in the order of fastest(). Sorted lazily: a long history is recorded in many
  /// batches and read once.
  const std::vector<std::size_t>& ranked() const;

  std::vector<SessionTrial> trials_;
  std::unordered_map<std::string, std::size_t> index_;  ///< into trials_, by the point's key
  mutable std::vector<std::size_t> ranked_;             ///< cache of ranked(); valid where is_ranked_
  mutable bool is_ranked_ = true;
};

}  // namespace nestwright
