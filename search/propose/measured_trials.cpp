#include "search/propose/measured_trials.h"

#include <algorithm>
#include <tuple>

namespace nestwright {

void MeasuredTrials::record(std::span<const SessionTrial> trials) {
  for (const SessionTrial& trial : trials) {
    const auto [entry, is_new] = index_.try_emplace(trial.point.key(), trials_.size());
    if (is_new) {
      trials_.push_back(trial);
    } else if (trial.weight() >= trials_[entry->second].weight()) {
      trials_[entry->second] = trial;
    }
  }
  is_ranked_ = false;
}

const std::vector<std::size_t>& MeasuredTrials::ranked() const {
  if (is_ranked_) return ranked_;
  is_ranked_ = true;
  ranked_.clear();
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    if (!trials_[i].has_failed()) ranked_.push_back(i);
  }
  std::stable_sort(ranked_.begin(), ranked_.end(), [this](std::size_t a, std::size_t b) {
    return std::tuple(!trials_[a].is_sound(), trials_[a].ns) < std::tuple(!trials_[b].is_sound(), trials_[b].ns);
  });
  return ranked_;
}

const SessionTrial* MeasuredTrials::best() const {
  if (ranked().empty() || !trials_[ranked_.front()].is_sound()) return nullptr;
  return &trials_[ranked_.front()];
}

std::vector<Point> MeasuredTrials::fastest(std::size_t n) const {
  std::vector<Point> points;
  for (std::size_t i = 0; i < std::min(n, ranked().size()); ++i) points.push_back(trials_[ranked_[i]].point);
  return points;
}

}  // namespace nestwright
