#include <algorithm>
#include <limits>

#include "search/session_state.h"
#include "support/error.h"

namespace nestwright {
namespace {

constexpr int kChallengers = 2;  // of each earlier session that ended without a race
constexpr int kAttempts = 3;     // another process may store a best meanwhile

struct Entrant {
  TrialId trial;
  Point point;
  std::string role;
  BuildResult built;
};

class Entrants {
 public:
  /// The first role that a trial enters with stays.
  void add(TrialId trial, const Point& point, const std::string& role) {
    const bool there = std::any_of(list_.begin(), list_.end(), [&](const Entrant& e) { return e.trial == trial; });
    if (!there) list_.push_back({trial, point, role, {}});
  }
  std::vector<Entrant>& list() { return list_; }

 private:
  std::vector<Entrant> list_;
};

Entrants choose(const SessionState& session, const std::optional<BestRecord>& stored) {
  Entrants entrants;
  if (const auto point = stored ? session.point_of(stored->proposal) : std::nullopt) {
    entrants.add(stored->trial, *point, "incumbent");
  }
  for (const TrialRecord& trial : session.log.challengers(session.key, kChallengers, session.versions)) {
    const auto point = session.point_of(trial.proposal);
    if (trial.session != session.id && point) entrants.add(trial.id, *point, "finalist");
  }
  std::vector<Contender> ranked = session.contenders;
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Contender& a, const Contender& b) { return a.median_ns < b.median_ns; });
  ranked.resize(std::min(ranked.size(), static_cast<std::size_t>(session.finalists())));
  for (const Contender& contender : ranked) entrants.add(contender.trial, contender.point, "finalist");

  if (session.default_trial != 0) entrants.add(session.default_trial, session.space.seeds().front(), "default");
  return entrants;
}

/// Compiles with the final pipeline, drops what is not right under it, and times the rest interleaved.
Race hold(SessionState& session, std::vector<Entrant>& entrants) {
  std::vector<Point> points;
  for (const Entrant& entrant : entrants) points.push_back(entrant.point);
  std::vector<BuildResult> built = session.build(points, Pipeline::kFinal);
  std::vector<Entrant*> compiled;
  std::vector<RunRequest> requests;
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    entrants[i].built = std::move(built[i]);
    if (entrants[i].built.outcome != Outcome::kOk) continue;
    compiled.push_back(&entrants[i]);
    requests.push_back({&entrants[i].built.object});
  }
  const std::vector<Measurement> checked = session.runner->run(requests, nullptr);
  std::vector<Entrant*> right;
  std::vector<Evidence> evidence;
  requests.clear();
  for (std::size_t i = 0; i < compiled.size(); ++i) {
    if (checked[i].outcome != Outcome::kOk || !checked[i].evidence.verified) continue;
    right.push_back(compiled[i]);
    evidence.push_back(checked[i].evidence);
    requests.push_back({&compiled[i]->built.object});
  }

  Race race;
  const std::vector<Measurement> timed = session.runner->race(requests);
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < timed.size(); ++i) {
    if (timed[i].outcome != Outcome::kOk) continue;
    RaceEntry& entry = race.entries.emplace_back();
    entry.trial = right[i]->trial;
    entry.role = right[i]->role;
    entry.measurement = timed[i];
    entry.measurement.evidence = evidence[i];
    if (timed[i].timing.median_ns < best) {
      best = timed[i].timing.median_ns;
      race.winner = static_cast<int>(race.entries.size()) - 1;
    }
  }
  return race;
}

/// A tie is called a tie: entries whose paired ratio to the winner is not told apart from 1.
void mark_ties(Race& race) {
  const std::vector<double>& winner = race.entries[race.winner].measurement.timing.samples_ns;
  for (std::size_t i = 0; i < race.entries.size(); ++i) {
    const std::vector<double>& samples = race.entries[i].measurement.timing.samples_ns;
    if (static_cast<int>(i) == race.winner || samples.size() != winner.size()) continue;
    race.entries[i].tied = paired_ratio(samples, winner).low <= 1;
  }
}

}  // namespace

void run_final_race(SessionState& session) {
  std::optional<BestRecord> stored = session.log.best(filter_of(session.key), session.versions);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Entrants entrants = choose(session, stored);
    if (entrants.list().empty()) return;
    Race race = hold(session, entrants.list());
    if (race.entries.empty()) return;
    mark_ties(race);
    for (const RaceEntry& entry : race.entries) {
      if (entry.trial == session.default_trial) session.result.default_timing = entry.measurement.timing;
    }
    stored = session.log.record_race(session.id, race, session.versions);
    if (!stored) return;
  }
}

}  // namespace nestwright
