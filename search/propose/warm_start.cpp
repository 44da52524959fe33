#include "search/propose/warm_start.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <utility>

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

void WarmStartReader::add_observations(const RelatedTask& task, std::vector<Observation>& out) {
  const Task& own = space_.task();
  const TaskContext other(Task{parse_workload(task.workload.text, own.workload.op), own.target});
  std::vector<TrialId> ids;
  std::map<TrialId, double> times;
  for (const std::size_t i : choose(task.trials.size())) {
    ids.push_back(task.trials[i]);
    times.emplace(task.trials[i], task.times[i]);
  }
  const std::vector<TrialRecord> trials = log_.trials_of(task, ids);
  std::vector<std::pair<const TrialRecord*, std::optional<Features>*>> missing;
  for (const TrialRecord& trial : trials) {
    const auto [entry, is_new] = features_.try_emplace(trial.id);
    if (is_new) missing.emplace_back(&trial, &entry->second);
  }
  tbb::parallel_for(std::size_t{0}, missing.size(), [&](std::size_t i) {
    const auto& [trial, features] = missing[i];
    if (const auto point = find_point(other, trial->point))
      *features = candidate_features(other.task(), columns_, *point);
  });
  const double best = task.times.front();
  for (const TrialRecord& trial : trials) {
    const std::optional<Features>& features = features_.at(trial.id);
    if (!features) continue;
    out.push_back({*features, best / times.at(trial.id), 1, candidate_resources(trial.measurement.resources)});
  }
}

std::optional<WarmStart> WarmStartReader::read(std::size_t own_trials) {
  const std::vector<RelatedTask> relatives = log_.relatives(key_, kTasks, versions_);
  std::vector<TrialId> bests;
  for (const RelatedTask& task : relatives) bests.push_back(task.trials.front());
  if (bests == bests_) return std::nullopt;
  bests_ = std::move(bests);
  WarmStart start;
  for (const RelatedTask& task : relatives) {
    try {
      if (Ranker::uses_other_tasks(own_trials)) add_observations(task, start.observations);
    } catch (const Error&) {
      continue;  // this build's operator does not have the workload, or a template fails for it
    }
    add_points(log_, task, space_, start.points);
  }
  return start;
}

}  // namespace nestwright
