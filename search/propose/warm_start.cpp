#include "search/propose/warm_start.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <span>

#include "nestwright/error.h"
#include "search/propose/ranker.h"
#include "search/propose/session_trial.h"
#include "search/task/candidate.h"
#include "templates/framework/space/completion.h"

namespace nestwright {
namespace {

constexpr int kTasks = 6;                         // other shapes
constexpr std::size_t kObservationsPerTask = 64;  // trials of each that the model learns
constexpr std::size_t kBests = 2;                 // points of each
constexpr std::size_t kMaxPoints = 8;
constexpr std::size_t kTries = 16;  // trials of each that are adapted: most become duplicates

/// The trials to learn from, of `count` that are sorted by their times: at most kObservationsPerTask, half of them the
/// fastest, the others evenly spaced over the rest.
std::vector<std::size_t> choose(std::size_t count) {
  constexpr std::size_t kFast = kObservationsPerTask / 2, kOthers = kObservationsPerTask - kFast;
  std::vector<std::size_t> chosen(std::min(count, kObservationsPerTask));
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  if (count <= kObservationsPerTask) return chosen;
  for (std::size_t i = 0; i < kOthers; ++i) chosen[kFast + i] = kFast + i * (count - kFast) / kOthers;
  return chosen;
}

std::optional<Point> fit(const TrialRecord& trial, const SearchSpace& space) {
  for (const SearchSpace::Member& member : space.members()) {
    if (member.source->name != trial.point.template_name) continue;
    try {
      const auto config =
          member.part ? complete_within(*member.part, trial.point.config)
                      : complete_config(*member.source, space.task().workload, space.task().target, trial.point.config);
      if (config && member.searched().is_valid(*config))
        return Point{member.source->name, member.source->version, *config};
    } catch (const Error&) {
      // the recorded values are not a configuration of this template
    }
  }
  return std::nullopt;
}

void add_observations(const TuningLog& log, const RelatedTask& task, const Task& own, const KnobColumns& columns,
                      std::vector<Observation>& out) {
  const TaskContext other(Task{parse_workload(task.workload.text, own.workload.op), own.target});
  std::vector<TrialId> ids;
  std::map<TrialId, double> times;
  for (const std::size_t i : choose(task.trials.size())) {
    ids.push_back(task.trials[i]);
    times.emplace(task.trials[i], task.times[i]);
  }
  const std::vector<TrialRecord> trials = log.trials_of(task, ids);
  std::vector<std::optional<Features>> features(trials.size());
  tbb::parallel_for(std::size_t{0}, trials.size(), [&](std::size_t i) {
    const auto point = find_point(other, trials[i].point);
    if (point) features[i] = candidate_features(other.task(), columns, *point);
  });
  const double best = task.times.front();
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!features[i]) continue;
    out.push_back({std::move(*features[i]), best / times.at(trials[i].id), 1,
                   candidate_resources(trials[i].measurement.resources)});
  }
}

/// Adds the fastest trials that could be the best, adapted to this space: at most kBests that are not in `points`.
void add_points(const TuningLog& log, const RelatedTask& task, const SearchSpace& space, std::vector<Point>& points) {
  std::span<const TrialId> rest = task.trials;
  for (std::size_t tried = 0, taken = 0; tried < kTries && !rest.empty();) {
    const auto next = rest.first(std::min(kTries, rest.size()));
    rest = rest.subspan(next.size());
    for (const TrialRecord& trial : log.trials_of(task, next)) {
      if (tried == kTries || taken == kBests || points.size() == kMaxPoints) return;
      if (!is_timed(trial.measurement)) continue;
      ++tried;
      const auto point = fit(trial, space);
      if (!point || std::find(points.begin(), points.end(), *point) != points.end()) continue;
      points.push_back(*point);
      ++taken;
    }
  }
}

}  // namespace

WarmStart warm_start(const TuningLog& log, const TaskKey& key, const SearchSpace& space, const KnobColumns& columns,
                     const std::vector<TemplateVersion>& versions, std::size_t own_trials) {
  const bool uses_observations = Ranker::uses_other_tasks(own_trials);
  WarmStart start;
  for (const RelatedTask& task : log.relatives(key, kTasks, versions)) {
    try {
      if (uses_observations) add_observations(log, task, space.task(), columns, start.observations);
    } catch (const Error&) {
      continue;  // this build's operator does not have the workload, or a template fails for it
    }
    add_points(log, task, space, start.points);
  }
  return start;
}

}  // namespace nestwright
