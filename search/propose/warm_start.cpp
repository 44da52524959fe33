#include "search/propose/warm_start.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <map>

#include "nestwright/error.h"
#include "search/propose/ranker.h"
#include "search/task/candidate.h"
#include "templates/framework/space/completion.h"

namespace nestwright {
namespace {

constexpr int kTasks = 6;                         // other shapes
constexpr std::size_t kObservationsPerTask = 64;  // trials of each that the model learns
constexpr std::size_t kBests = 2;                 // points of each
constexpr std::size_t kMaxPoints = 8;
constexpr std::size_t kTries = 16;  // trials of each that are adapted: most become duplicates

/// A trial with its time in the unit of its group.
struct Timed {
  const RelatedTrial* trial = nullptr;
  double time = 0;
};

/// The largest group of trials with comparable times, fastest first: those of sessions with a common anchor, or those
/// of one session under the old scoring rule.
std::vector<Timed> by_speed_of(const std::vector<RelatedTrial>& trials) {
  std::map<std::int64_t, std::vector<Timed>> groups;
  for (const RelatedTrial& trial : trials) {
    const SessionUnit& unit = trial.unit;
    const bool has_anchor = unit.rule == ScoringRule::kPaired && unit.anchor_ns > 0;
    groups[has_anchor ? unit.anchor : -unit.session].push_back(
        {&trial, trial.median_ns / (has_anchor ? unit.anchor_ns : 1)});
  }
  if (groups.empty()) return {};
  std::vector<Timed> largest = std::max_element(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
                                 return a.second.size() < b.second.size();
                               })->second;
  std::stable_sort(largest.begin(), largest.end(), [](const Timed& a, const Timed& b) { return a.time < b.time; });
  return largest;
}

/// At most kObservationsPerTask trials: half of them the fastest, the others evenly spaced over the rest.
std::vector<Timed> choose(const std::vector<Timed>& by_speed) {
  if (by_speed.size() <= kObservationsPerTask) return by_speed;
  constexpr std::size_t kFast = kObservationsPerTask / 2, kOthers = kObservationsPerTask - kFast;
  std::vector<Timed> chosen(by_speed.begin(), by_speed.begin() + kFast);
  const std::size_t rest = by_speed.size() - kFast;
  for (std::size_t i = 0; i < kOthers; ++i) chosen.push_back(by_speed[kFast + i * rest / kOthers]);
  return chosen;
}

std::optional<Point> fit(const TrialRecord& trial, const SearchSpace& space) {
  for (const SearchSpace::Member& member : space.members()) {
    if (member.source->name != trial.proposal.from.name) continue;
    try {
      const auto config = member.part ? complete_within(*member.part, trial.proposal.config)
                                      : complete_config(*member.source, space.task().workload, space.task().target,
                                                        trial.proposal.config);
      if (config && member.searched().is_valid(*config))
        return Point{member.source->name, member.source->version, *config};
    } catch (const Error&) {
      // the recorded values are not a configuration of this template
    }
  }
  return std::nullopt;
}

std::vector<TrialRecord> read_whole(const TuningLog& log, const RelatedTask& task, const std::vector<Timed>& chosen) {
  std::vector<TrialId> ids;
  for (const Timed& each : chosen) ids.push_back(each.trial->id);
  return log.trials_of(task, ids);
}

void add_observations(const TuningLog& log, const RelatedTask& task, const std::vector<Timed>& by_speed,
                      const Task& own, const KnobColumns& columns, std::vector<Observation>& out) {
  const TaskContext other(Task{parse_workload(task.workload.text, own.workload.op), own.target});
  const std::vector<Timed> chosen = choose(by_speed);
  std::map<TrialId, double> times;
  for (const Timed& each : chosen) times.emplace(each.trial->id, each.time);
  const std::vector<TrialRecord> trials = read_whole(log, task, chosen);
  std::vector<std::optional<Features>> features(trials.size());
  tbb::parallel_for(std::size_t{0}, trials.size(), [&](std::size_t i) {
    const Proposal& proposal = trials[i].proposal;
    const auto point = find_point(other, proposal.from.name, proposal.from.version, proposal.config);
    if (point) features[i] = candidate_features(other.task(), columns, *point);
  });
  const double best = by_speed.front().time;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!features[i]) continue;
    out.push_back({std::move(*features[i]), best / times.at(trials[i].id), 1,
                   candidate_resources(trials[i].measurement.resources)});
  }
}

/// Adds the fastest trials that could be the best, adapted to this space: at most kBests that are not in `points`.
void add_points(const TuningLog& log, const RelatedTask& task, const std::vector<Timed>& by_speed,
                const SearchSpace& space, std::vector<Point>& points) {
  std::vector<Timed> fit_to_be_best;
  for (const Timed& each : by_speed) {
    if (fit_to_be_best.size() < kTries && each.trial->verified && !each.trial->ended_early) {
      fit_to_be_best.push_back(each);
    }
  }
  std::size_t taken = 0;
  for (const TrialRecord& trial : read_whole(log, task, fit_to_be_best)) {
    if (taken == kBests || points.size() == kMaxPoints) break;
    const auto point = fit(trial, space);
    if (!point || std::find(points.begin(), points.end(), *point) != points.end()) continue;
    points.push_back(*point);
    ++taken;
  }
}

}  // namespace

WarmStart warm_start(const TuningLog& log, const TaskKey& key, const SearchSpace& space, const KnobColumns& columns,
                     const std::vector<TemplateVersion>& versions, std::size_t own_trials) {
  const bool uses_observations = Ranker::uses_other_tasks(own_trials);
  WarmStart start;
  for (const RelatedTask& task : log.relatives(key, kTasks, versions)) {
    const std::vector<Timed> by_speed = by_speed_of(task.trials);
    if (by_speed.empty()) continue;
    try {
      if (uses_observations) add_observations(log, task, by_speed, space.task(), columns, start.observations);
    } catch (const Error&) {
      continue;  // this build's operator does not have the workload, or a template fails for it
    }
    add_points(log, task, by_speed, space, start.points);
  }
  return start;
}

}  // namespace nestwright
