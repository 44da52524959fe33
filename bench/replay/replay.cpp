#include "bench/replay/replay.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>

#include "cost_model/knob_columns.h"
#include "nestwright/error.h"
#include "search/propose/make_strategy.h"
#include "search/task/candidate.h"

namespace nestwright {
namespace {

std::vector<RecordedPoint> recorded(const std::vector<SurveyedPoint>& surveyed) {
  std::vector<RecordedPoint> points;
  for (const SurveyedPoint& s : surveyed) points.push_back({s.trial.point, s.is_sample});
  return points;
}

}  // namespace

Replay::Replay(const Task& task, const std::vector<SurveyedPoint>& surveyed) : space_(task, recorded(surveyed)) {
  if (space_.points().empty()) {
    throw UsageError(fmt::format("there is no record of '{}' by this build's templates: make one with --record",
                                 task.workload.str()));
  }
  for (const SurveyedPoint& s : surveyed) {
    const auto point = space_.find(s.trial.point);
    if (!point || !space_.contains(*point)) continue;
    SurveyedPoint& kept = by_key_.try_emplace(point->key(), s).first->second;
    kept.trial.point = *point;
    if (s.counts && (best_ns_ == 0 || s.trial.ns < best_ns_)) best_ns_ = s.trial.ns;
  }
  std::vector<ConfigSpace> spaces;
  for (const auto& member : space_.members()) spaces.push_back(member.space);
  const KnobColumns columns(spaces);
  const std::vector<Point>& points = space_.points();
  std::vector<std::optional<Features>> features(points.size());
  tbb::parallel_for(std::size_t{0}, points.size(),
                    [&](std::size_t i) { features[i] = candidate_features(space_.task(), columns, points[i]); });
  for (std::size_t i = 0; i < points.size(); ++i) features_.emplace(points[i].key(), std::move(features[i]));
}

std::vector<SurveyedPoint> Replay::run(const ReplayOptions& options) const {
  Ranker ranker(make_cost_model(options.cost_model, options.seed), make_cost_model(options.cost_model, options.seed),
                [this](const Point& point) { return features_.at(point.key()); });
  const auto strategy = make_strategy(options.strategy, {&space_, &ranker, options.seed});
  std::vector<SurveyedPoint> measured;
  for (int batch = 0; static_cast<int>(measured.size()) < options.trials; ++batch) {
    const int wanted = std::min(options.batch_size, options.trials - static_cast<int>(measured.size()));
    std::vector<SessionTrial> trials;
    for (const Point& point : strategy->propose(batch, wanted)) {
      const SurveyedPoint& known = by_key_.at(point.key());
      measured.push_back(known);
      trials.push_back(known.trial);
    }
    if (trials.empty()) break;
    strategy->observe(trials);
  }
  return measured;
}

}  // namespace nestwright
