#include "search/warm_start.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>

#include "search/candidate.h"
#include "support/error.h"
#include "templates/guess.h"

namespace nestwright {
namespace {

constexpr int kTasks = 6;             // other shapes
constexpr std::size_t kLessons = 64;  // of each
constexpr std::size_t kBests = 2;     // points of each
constexpr std::size_t kMostPoints = 8;

/// At most kLessons of them: the faster half are the fastest, the others are spread over all the rest.
std::vector<const TrialRecord*> choose(const std::vector<const TrialRecord*>& by_speed) {
  if (by_speed.size() <= kLessons) return by_speed;
  constexpr std::size_t kFast = kLessons / 2, kOthers = kLessons - kFast;
  std::vector<const TrialRecord*> chosen(by_speed.begin(), by_speed.begin() + kFast);
  const std::size_t rest = by_speed.size() - kFast;
  for (std::size_t i = 0; i < kOthers; ++i) chosen.push_back(by_speed[kFast + i * rest / kOthers]);
  return chosen;
}

std::optional<Point> fit(const TrialRecord& trial, const SearchSpace& space) {
  for (const SearchSpace::Member& member : space.members()) {
    if (member.source->name != trial.proposal.from.name) continue;
    const auto config = guess_config(*member.source, space.task().workload, space.task().target, trial.proposal.config);
    if (config && member.space.is_valid(*config)) return Point{member.source->name, member.source->version, *config};
  }
  return std::nullopt;
}

void add_lessons(const std::vector<const TrialRecord*>& by_speed, const Target& target, const KnobColumns& columns,
                 std::vector<Observation>& out) {
  const SearchSpace other(Task{parse_workload(by_speed.front()->workload), target});
  const std::vector<const TrialRecord*> chosen = choose(by_speed);
  std::vector<std::optional<Features>> features(chosen.size());
  tbb::parallel_for(std::size_t{0}, chosen.size(), [&](std::size_t i) {
    const Proposal& proposal = chosen[i]->proposal;
    const auto point = other.find(proposal.from.name, proposal.from.version, proposal.config);
    if (point) features[i] = point_features(other, columns, *point);
  });
  const double best_ns = by_speed.front()->measurement.timing.median_ns;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (!features[i]) continue;
    const Measurement& m = chosen[i]->measurement;
    out.push_back({std::move(*features[i]), best_ns / m.timing.median_ns, 1, needs_of(m.resources)});
  }
}

}  // namespace

WarmStart warm_start(const TuningLog& log, const TaskKey& key, const SearchSpace& space, const KnobColumns& columns,
                     const std::vector<TemplateVersion>& versions) {
  WarmStart start;
  for (const std::vector<TrialRecord>& trials : log.relatives(key, kTasks, versions)) {
    std::vector<const TrialRecord*> by_speed;
    for (const TrialRecord& trial : trials) {
      if (trial.measurement.timing.median_ns > 0) by_speed.push_back(&trial);
    }
    if (by_speed.empty()) continue;
    std::stable_sort(by_speed.begin(), by_speed.end(), [](const TrialRecord* a, const TrialRecord* b) {
      return a->measurement.timing.median_ns < b->measurement.timing.median_ns;
    });
    try {
      add_lessons(by_speed, space.task().target, columns, start.lessons);
    } catch (const UsageError&) {
      continue;  // a workload that this build does not know
    }
    std::size_t taken = 0;
    for (const TrialRecord* trial : by_speed) {
      if (taken == kBests || start.points.size() == kMostPoints) break;
      const bool is_sound = trial->measurement.evidence.verified && !trial->measurement.timing.ended_early;
      const auto point = is_sound ? fit(*trial, space) : std::nullopt;
      if (!point || std::find(start.points.begin(), start.points.end(), *point) != start.points.end()) continue;
      start.points.push_back(*point);
      ++taken;
    }
  }
  return start;
}

}  // namespace nestwright
