#include "search/warm_start.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <map>

#include "search/candidate.h"
#include "search/ranker.h"
#include "support/error.h"
#include "templates/framework/completion.h"
#include "templates/registry.h"

namespace nestwright {
namespace {

constexpr int kTasks = 6;             // other shapes
constexpr std::size_t kLessons = 64;  // of each
constexpr std::size_t kBests = 2;     // points of each
constexpr std::size_t kMostPoints = 8;
constexpr std::size_t kTries = 16;  // trials of each that are made to fit: most become points that are there already

/// A trial and its time in the unit of its group.
struct Timed {
  const RelatedTrial* trial = nullptr;
  double time = 0;
};

/// Those whose times compare, fastest first: of the sessions with one anchor, or of one session by the old rule; of
/// several such groups the largest.
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

/// At most kLessons of them: the faster half are the fastest, the others are spread over all the rest.
std::vector<Timed> choose(const std::vector<Timed>& by_speed) {
  if (by_speed.size() <= kLessons) return by_speed;
  constexpr std::size_t kFast = kLessons / 2, kOthers = kLessons - kFast;
  std::vector<Timed> chosen(by_speed.begin(), by_speed.begin() + kFast);
  const std::size_t rest = by_speed.size() - kFast;
  for (std::size_t i = 0; i < kOthers; ++i) chosen.push_back(by_speed[kFast + i * rest / kOthers]);
  return chosen;
}

std::optional<Point> fit(const TrialRecord& trial, const SearchSpace& space) {
  for (const SearchSpace::Member& member : space.members()) {
    if (member.source->name != trial.proposal.from.name) continue;
    try {
      const auto config =
          complete_config(*member.source, space.task().workload, space.task().target, trial.proposal.config);
      if (config && member.space.is_valid(*config)) return Point{member.source->name, member.source->version, *config};
    } catch (const Error&) {
      // what is recorded is no configuration of this template
    }
  }
  return std::nullopt;
}

std::vector<TrialRecord> read_whole(const TuningLog& log, const RelatedTask& task, const std::vector<Timed>& chosen) {
  std::vector<TrialId> ids;
  for (const Timed& each : chosen) ids.push_back(each.trial->id);
  return log.trials_of(task, ids);
}

void add_lessons(const TuningLog& log, const RelatedTask& task, const std::vector<Timed>& by_speed,
                 const Target& target, const KnobColumns& columns, std::vector<Observation>& out) {
  const SearchSpace other(Task{parse_workload(task.workload.text), target});
  const std::vector<Timed> chosen = choose(by_speed);
  std::map<TrialId, double> times;
  for (const Timed& each : chosen) times.emplace(each.trial->id, each.time);
  const std::vector<TrialRecord> trials = read_whole(log, task, chosen);
  std::vector<std::optional<Features>> features(trials.size());
  tbb::parallel_for(std::size_t{0}, trials.size(), [&](std::size_t i) {
    const Proposal& proposal = trials[i].proposal;
    const auto point = other.find(proposal.from.name, proposal.from.version, proposal.config);
    if (point) features[i] = point_features(other, columns, *point);
  });
  const double best = by_speed.front().time;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!features[i]) continue;
    out.push_back(
        {std::move(*features[i]), best / times.at(trials[i].id), 1, needs_of(trials[i].measurement.resources)});
  }
}

/// The fastest that may be best, as points of this space: at most kBests that are not among `points` yet.
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
    if (taken == kBests || points.size() == kMostPoints) break;
    const auto point = fit(trial, space);
    if (!point || std::find(points.begin(), points.end(), *point) != points.end()) continue;
    points.push_back(*point);
    ++taken;
  }
}

}  // namespace

WarmStart warm_start(const TuningLog& log, const TaskKey& key, const SearchSpace& space, const KnobColumns& columns,
                     const std::vector<TemplateVersion>& versions, std::size_t own_trials) {
  const bool has_lessons = Ranker::weighs_lessons(own_trials);
  WarmStart start;
  for (const RelatedTask& task : log.relatives(key, kTasks, versions)) {
    const std::vector<Timed> by_speed = by_speed_of(task.trials);
    if (by_speed.empty()) continue;
    try {
      if (has_lessons) add_lessons(log, task, by_speed, space.task().target, columns, start.lessons);
    } catch (const Error&) {
      continue;  // a workload that this build does not know, or for which a template fails
    }
    add_points(log, task, by_speed, space, start.points);
  }
  return start;
}

}  // namespace nestwright
