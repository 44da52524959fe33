// Runs strategies on the record of a survey: which points each would have measured, in which order, without measuring.
// The comparison is free of timing noise and the same on every machine.
// Thread rule: run() may be called from several threads at once.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "bench/replay/recorded_space.h"
#include "bench/replay/survey.h"

namespace nestwright {

struct ReplayOptions {
  std::string strategy = "evolutionary";
  std::string cost_model = "xgboost";
  std::uint64_t seed = 1;
  int trials = 150;
  int batch_size = 16;
};

class Replay {
 public:
  /// Throws UsageError where the survey has no point of the task.
  Replay(const Task& task, const std::vector<SurveyedPoint>& surveyed);

  const RecordedSpace& space() const { return space_; }
  /// Time of the fastest point that counts; 0 where none does.
  double best_ns() const { return best_ns_; }
  /// The points that the strategy measured, in order; fewer than `options.trials` where it proposes no more. Throws
  /// UsageError for an unknown strategy or model.
  std::vector<SurveyedPoint> run(const ReplayOptions& options) const;

 private:
  RecordedSpace space_;
  std::unordered_map<std::string, SurveyedPoint> by_key_;
  std::unordered_map<std::string, std::optional<Features>> features_;
  double best_ns_ = 0;
};

}  // namespace nestwright
