#include <algorithm>
#include <limits>

#include "measure/race.h"
#include "search/session_state.h"
#include "search/verdict.h"
#include "support/clock.h"
#include "support/error.h"

namespace nestwright {
namespace {

constexpr int kChallengers = 2;  // of each earlier session that ended without a race
constexpr int kAttempts = 3;     // another process may store a best meanwhile

struct Entrant {
  TrialId trial;
  Point point;
  std::string role;
  BuiltPoint built;
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

/// The stored best first, as what the others are held against.
Entrants choose(const SessionState& session, const std::optional<BestRecord>& stored) {
  Entrants entrants;
  if (const auto point = stored ? session.point_of(stored->proposal) : std::nullopt) {
    entrants.add(stored->trial, *point, kIncumbentRole);
  }
  if (session.incumbent) entrants.add(session.incumbent->trial, session.incumbent->point, "finalist");
  for (const TrialRecord& trial : session.log.challengers(session.key, kChallengers, session.versions)) {
    const auto point = session.point_of(trial.proposal);
    if (trial.session != session.id && point) entrants.add(trial.id, *point, "finalist");
  }
  std::vector<SoundTrial> ranked = session.sound_trials;
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const SoundTrial& a, const SoundTrial& b) { return a.median_ns < b.median_ns; });
  ranked.resize(std::min(ranked.size(), static_cast<std::size_t>(session.finalists())));
  for (const SoundTrial& trial : ranked) entrants.add(trial.trial, trial.point, "finalist");

  if (session.default_trial != 0) entrants.add(session.default_trial, session.space.seeds().front(), "default");
  return entrants;
}

class FinalRace {
 public:
  FinalRace(SessionState& session, double seconds)
      : session_(session), start_ns_(steady_clock().now_ns()), seconds_(seconds) {}

  /// Compiles with the final pipeline, checks, and times what is right interleaved. What fails is an entry with that
  /// outcome: a stored best that no longer compiles or is wrong now is beaten.
  Race hold(std::vector<Entrant>& entrants) {
    Race race;
    std::vector<Point> points;
    for (const Entrant& entrant : entrants) points.push_back(entrant.point);
    std::vector<BuiltPoint> built = session_.build(points, Pipeline::kFinal);
    std::vector<RunRequest> requests;
    std::vector<std::size_t> entry_of;
    for (std::size_t i = 0; i < entrants.size(); ++i) {
      entrants[i].built = std::move(built[i]);
      const BuildResult& result = entrants[i].built.result;
      RaceEntry& entry = race.entries.emplace_back();
      entry.trial = entrants[i].trial;
      entry.role = entrants[i].role;
      entry.measurement.outcome = result.outcome;
      entry.measurement.message = result.message;
      if (result.outcome != Outcome::kOk) continue;
      requests.push_back({&entrants[i].built.result.object});
      entry_of.push_back(i);
    }
    check_and_time(race, requests, entry_of);
    const Verdict verdict = judge(race.entries);
    race.winner = verdict.winner;
    race.disturbance = verdict.disturbance;
    for (std::size_t i = 0; i < race.entries.size(); ++i) race.entries[i].tied = verdict.tied[i];
    return race;
  }

 private:
  bool is_over() const { return static_cast<double>(steady_clock().now_ns() - start_ns_) * 1e-9 > seconds_; }

  void check_and_time(Race& race, std::vector<RunRequest> requests, std::vector<std::size_t> entry_of) {
    const std::vector<Measurement> checked = session_.runner->check(requests);
    for (std::size_t i = checked.size(); i-- > 0;) {
      race.entries[entry_of[i]].measurement = checked[i];
      if (checked[i].outcome == Outcome::kOk && checked[i].evidence.verified) continue;
      requests.erase(requests.begin() + static_cast<std::ptrdiff_t>(i));
      entry_of.erase(entry_of.begin() + static_cast<std::ptrdiff_t>(i));
    }
    const std::vector<Measurement> timed = session_.runner->race(requests, [this] { return is_over(); });
    for (std::size_t i = 0; i < timed.size(); ++i) {
      RaceEntry& entry = race.entries[entry_of[i]];
      const Evidence evidence = entry.measurement.evidence;
      entry.measurement = timed[i];
      entry.measurement.evidence = evidence;
      entry.process_medians_ns = process_medians(timed[i].timing);
    }
  }

  SessionState& session_;
  const std::int64_t start_ns_;
  const double seconds_;
};

}  // namespace

void run_final_race(SessionState& session, double seconds) {
  std::optional<BestRecord> stored = session.log.stored_best(session.id, session.versions);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Entrants entrants = choose(session, stored);
    if (entrants.list().empty()) return;
    Race race = FinalRace(session, seconds).hold(entrants.list());
    if (!race.winner && race.disturbance.empty()) return;
    session.result.race_disturbance = race.disturbance;
    for (const RaceEntry& entry : race.entries) {
      if (entry.trial == session.default_trial && is_sound(entry.measurement)) {
        session.result.default_timing = entry.measurement.timing;
      }
    }
    stored = session.log.record_race(session.id, race, session.versions);
    if (!stored) return;
  }
}

}  // namespace nestwright
