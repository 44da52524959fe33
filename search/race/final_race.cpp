#include "search/race/final_race.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "measure/race/quiet_estimate.h"
#include "measure/race/race_finalists.h"
#include "search/race/verdict.h"
#include "support/base/error.h"

namespace nestwright {
namespace {

constexpr int kChallengers = 2;  // from each earlier session that ended without a race
constexpr int kAttempts = 3;     // another process may store a best during the race

struct Entrant {
  TrialId trial;
  Point point;
  std::string role;
  BuiltPoint built;
};

class Entrants {
 public:
  /// A trial that is added twice keeps its first role.
  void add(TrialId trial, const Point& point, const std::string& role) {
    const bool there = std::any_of(list_.begin(), list_.end(), [&](const Entrant& e) { return e.trial == trial; });
    if (!there) list_.push_back({trial, point, role, {}});
  }
  std::vector<Entrant>& list() { return list_; }

 private:
  std::vector<Entrant> list_;
};

constexpr const char* kTimeWasOver = "the time was over before its entrants were checked";

/// Whether the default, which is only compared with, would take more than its part of the seconds that are left: an
/// untimed and a timed call in each of three processes, after its checks. False if its time is not known.
bool is_default_too_slow(const SessionState& session, double seconds_left) {
  constexpr double kShare = 0.2;
  constexpr int kCalls = 10;
  if (!session.anchor || session.anchor->trial != session.default_trial) return false;
  return 1e-9 * kCalls * session.anchor->reference_ns > kShare * seconds_left;
}

/// All entrants; the stored best comes first, as the one that the others are compared with.
Entrants collect_entrants(const SessionState& session, const std::optional<BestRecord>& stored,
                          std::span<const TimedTrial> finalists, double seconds_left) {
  Entrants entrants;
  // A session of one template or a restriction replaces the task's best only if it beats it, wherever that is.
  if (const auto point = stored ? session.point_anywhere(stored->proposal) : std::nullopt) {
    entrants.add(stored->trial, *point, kIncumbentRole);
  }
  if (session.incumbent) entrants.add(session.incumbent->trial, session.incumbent->point, "finalist");
  for (const TrialRecord& trial : session.log.challengers(session.context.key(), kChallengers, session.versions)) {
    const auto point = session.point_of(trial.proposal);
    if (trial.session != session.id && point) entrants.add(trial.id, *point, "finalist");
  }
  for (const TimedTrial& trial : finalists) entrants.add(trial.trial, trial.point, "finalist");

  const std::optional<Point> untuned = session.space.default_point();
  const bool is_left_out = !entrants.list().empty() && is_default_too_slow(session, seconds_left);
  if (session.default_trial != 0 && untuned && !is_left_out) entrants.add(session.default_trial, *untuned, "default");
  return entrants;
}

RaceLimits race_limits(const FinalRaceLimits& limits, const std::string& doing) {
  RaceLimits race{.seconds_left = limits.seconds_left};
  if (limits.on_progress) race.on_process = [=](const RaceProgress& progress) { limits.on_progress(doing, progress); };
  return race;
}

class FinalRace {
 public:
  FinalRace(SessionState& session, const FinalRaceLimits& limits) : session_(session), limits_(limits) {}

  /// Compiles the entrants with the final pipeline, checks them, and times the correct ones interleaved. A failure is
  /// an entry with that outcome: a stored best that no longer compiles, or is wrong now, loses its place.
  Race hold(std::vector<Entrant>& entrants) {
    Race race;
    std::vector<Point> points;
    for (const Entrant& entrant : entrants) points.push_back(entrant.point);
    std::vector<BuiltPoint> built =
        session_.build(points, Pipeline::kFinal, [this] { return limits_.seconds_left() <= 0; });
    std::vector<Contender> contenders;
    std::vector<std::size_t> entry_of;
    for (std::size_t i = 0; i < entrants.size(); ++i) {
      entrants[i].built = std::move(built[i]);
      const BuildResult& result = entrants[i].built.result;
      if (result.is_skipped) {
        race.disturbance = kTimeWasOver;
        return race;
      }
      RaceEntry& entry = race.entries.emplace_back();
      entry.trial = entrants[i].trial;
      entry.role = entrants[i].role;
      entry.measurement.outcome = result.outcome;
      entry.measurement.message = result.message;
      if (result.outcome != Outcome::kOk) continue;
      contenders.push_back({&entrants[i].built.result.object});
      entry_of.push_back(i);
    }
    if (!check(race, contenders, entry_of)) {
      race.disturbance = kTimeWasOver;
      return race;
    }
    time(race, contenders, entry_of);
    const Verdict verdict = conclude_race(race.entries);
    race.winner = verdict.winner;
    race.disturbance = verdict.disturbance;
    if (race.winner && !race.disturbance.empty()) {
      Timing& of_winner = race.entries[static_cast<std::size_t>(*race.winner)].measurement.timing;
      if (of_winner.disturbance.empty()) of_winner.disturbance = race.disturbance;
      if (!of_winner.is_short) estimate_quiet_time(of_winner);
    }
    for (std::size_t i = 0; i < race.entries.size(); ++i) race.entries[i].tied = verdict.tied[i];
    return race;
  }

 private:
  /// Leaves in `contenders` those that are right. False if the time was over before all were checked.
  bool check(Race& race, std::vector<Contender>& contenders, std::vector<std::size_t>& entry_of) {
    std::vector<Measurement> checked;
    const int count = static_cast<int>(contenders.size());
    if (limits_.seconds_left() < session_.runner->check_preparation_s()) return false;
    for (const Contender& contender : contenders) {
      if (limits_.seconds_left() <= 0) return false;
      checked.push_back(session_.runner->check({contender}).front());
      const bool is_given_up = checked.back().outcome == Outcome::kOk && !checked.back().evidence.verified;
      if (is_given_up) return false;
      if (limits_.on_progress) limits_.on_progress("checking finalists", {static_cast<int>(checked.size()), count});
    }
    for (std::size_t i = checked.size(); i-- > 0;) {
      race.entries[entry_of[i]].measurement = checked[i];
      if (checked[i].outcome == Outcome::kOk && checked[i].evidence.verified) continue;
      contenders.erase(contenders.begin() + static_cast<std::ptrdiff_t>(i));
      entry_of.erase(entry_of.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return true;
  }

  void time(Race& race, const std::vector<Contender>& contenders, const std::vector<std::size_t>& entry_of) {
    const std::vector<Measurement> timed = session_.runner->race(contenders, race_limits(limits_, "final race"));
    for (std::size_t i = 0; i < timed.size(); ++i) {
      RaceEntry& entry = race.entries[entry_of[i]];
      const Evidence evidence = entry.measurement.evidence;
      entry.measurement = timed[i];
      entry.measurement.evidence = evidence;
      entry.process_medians_ns = process_medians(timed[i].timing);
    }
  }

  SessionState& session_;
  const FinalRaceLimits& limits_;
};

/// The fastest `n`, among them the fastest of each template that is within 5% of the best: the final pipeline, whose
/// passes the search leaves out, may change the order of templates more than that of alike configurations.
std::vector<TimedTrial> fastest(std::vector<TimedTrial> trials, int n) {
  constexpr double kNear = 1.05;
  std::stable_sort(trials.begin(), trials.end(),
                   [](const TimedTrial& a, const TimedTrial& b) { return a.median_ns < b.median_ns; });
  const double limit = trials.empty() ? 0 : kNear * trials.front().median_ns;
  std::set<std::string> templates;
  std::stable_partition(trials.begin(), trials.end(), [&](const TimedTrial& trial) {
    return trial.median_ns <= limit && templates.insert(trial.point.template_name).second;
  });
  trials.resize(std::min(trials.size(), static_cast<std::size_t>(n)));
  return trials;
}

/// Returns the entrants with their times in the preliminary race, as the times that selected them are biased by luck. A
/// disturbed time is still a ratio of readings of the same passes, and only selects who is timed again. An entrant that
/// fails sorts last.
std::vector<TimedTrial> hold_preliminary_race(SessionState& session, std::vector<TimedTrial> entrants,
                                              const FinalRaceLimits& limits) {
  RaceLimits race = race_limits(limits, "preliminary race");
  race.seconds_left = [left = limits.seconds_left, for_final_s = limits.seconds_left() / 2] {
    return std::isinf(for_final_s) ? for_final_s : left() - for_final_s;
  };
  std::vector<Point> points;
  for (const TimedTrial& entrant : entrants) points.push_back(entrant.point);
  const std::vector<BuiltPoint> built =
      session.build(points, Pipeline::kSearch, [&] { return race.seconds_left() <= 0; });
  std::vector<Contender> contenders;
  std::vector<TimedTrial> timed;
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    if (built[i].result.outcome != Outcome::kOk) continue;
    contenders.push_back({&built[i].result.object});
    timed.push_back(std::move(entrants[i]));
  }
  const std::vector<Measurement> measured = session.runner->preliminary_race(contenders, race);
  for (std::size_t i = 0; i < timed.size(); ++i) {
    const Measurement& m = measured[i];
    const bool is_timed = m.outcome == Outcome::kOk && m.timing.median_ns > 0;
    timed[i].median_ns = is_timed ? m.timing.median_ns : std::numeric_limits<double>::infinity();
  }
  return timed;
}

std::vector<TimedTrial> choose_finalists(SessionState& session, const FinalRaceLimits& limits) {
  const RacePlan plan = session.race_plan();
  const auto wanted = static_cast<std::size_t>(plan.finalists);
  std::vector<TimedTrial> trials = session.sound_trials;
  if (trials.size() < wanted) {  // the machine was disturbed nearly all the time
    trials.insert(trials.end(), session.disturbed_trials.begin(), session.disturbed_trials.end());
  }
  const bool is_over = session.result.interrupted || limits.seconds_left() <= 0;
  if (plan.preliminary == 0 || trials.size() <= wanted || is_over) return fastest(trials, plan.finalists);
  std::vector<TimedTrial> entrants = fastest(std::move(trials), plan.preliminary);
  return fastest(hold_preliminary_race(session, std::move(entrants), limits), plan.finalists);
}

/// The entry of a stored best whose configuration this build does not have any more, which therefore loses its place.
RaceEntry entry_of_lost_point(const BestRecord& stored) {
  RaceEntry entry;
  entry.trial = stored.trial;
  entry.role = kIncumbentRole;
  entry.measurement.outcome = Outcome::kInvalidConfig;
  entry.measurement.message = "the template does not have this configuration any more";
  return entry;
}

/// Makes the fastest entrant of a race without time for three processes the session's confirmed incumbent: one or two
/// processes are better evidence than the confirmation in the search. Does nothing after a race that was disturbed.
void confirm_fastest(SessionState& session, Race race, std::vector<Entrant>& entrants) {
  for (RaceEntry& entry : race.entries) {
    Timing& timing = entry.measurement.timing;
    if (std::exchange(timing.is_short, false)) timing.disturbance.clear();
  }
  const Verdict verdict = conclude_race(race.entries);
  if (!verdict.winner || !verdict.disturbance.empty()) return;
  const RaceEntry& fastest = race.entries[static_cast<std::size_t>(*verdict.winner)];
  const auto entrant =
      std::find_if(entrants.begin(), entrants.end(), [&](const Entrant& e) { return e.trial == fastest.trial; });
  if (fastest.role == kIncumbentRole || entrant == entrants.end() || !session.log.may_be_best(fastest.trial)) return;
  const Timing& timing = fastest.measurement.timing;
  session.log.set_incumbent(session.id, fastest.trial);
  session.log.widen_interval(fastest.trial, timing.low_ns, timing.high_ns);
  session.incumbent = ReferenceKernel{entrant->trial, entrant->point, std::move(entrant->built.result.object),
                                      timing.median_ns, entrant->built.work};
}

/// Widens the intervals of the race where the search has seen more of how times vary than it: those of a race without
/// time for three processes by the drift, and others, on a machine that is not quiet, by the range in which 90% of the
/// readings of a kernel lie.
Race with_drift(Race race, const ReferenceReadings& readings) {
  constexpr double kNormal90 = 1.645, kQuiet = 0.05;
  const double range = kNormal90 * readings.deviation();
  for (RaceEntry& entry : race.entries) {
    Timing& timing = entry.measurement.timing;
    if (timing.is_short) {
      widen(timing, readings.drift());
    } else if (range > kQuiet) {
      widen(timing, range);
    }
  }
  return race;
}

/// Repeats the race, up to kAttempts times in all, while other sessions store a best during it.
void race_until_recorded(SessionState& session, const FinalRaceLimits& limits) {
  if (session.options.finalists == 0) return;
  const std::vector<TimedTrial> finalists = choose_finalists(session, limits);
  std::optional<BestRecord> stored = session.log.stored_best(session.id, session.context.usable_templates());
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Entrants entrants = collect_entrants(session, stored, finalists, limits.seconds_left());
    if (entrants.list().empty()) return;
    if (limits.seconds_left() <= 0) {
      session.result.race_disturbance = kTimeWasOver;
      return;
    }
    Race race = FinalRace(session, limits).hold(entrants.list());
    if (!race.winner && race.disturbance.empty()) return;
    session.result.race_disturbance = race.disturbance;
    for (const RaceEntry& entry : race.entries) {
      if (entry.trial == session.default_trial && is_sound(entry.measurement)) {
        session.result.default_timing = entry.measurement.timing;
      }
    }
    if (stored && !session.point_anywhere(stored->proposal)) race.entries.push_back(entry_of_lost_point(*stored));
    const bool is_short = !race.disturbance.empty();
    stored = session.log.record_race(session.id, with_drift(race, session.reference_readings),
                                     session.context.usable_templates());
    if (stored) continue;
    if (is_short) confirm_fastest(session, race, entrants.list());
    return;
  }
}

/// Without a winner of a race, the session's answer was timed in one process for less than a second: widens the
/// interval of its score.
void widen_unraced_best(SessionState& session) {
  const std::optional<BestRecord> best = session.log.best(filter_of(session.context.key()), session.versions);
  if (!best || best->session != session.id || best->source != BestSource::kConfirmed) return;
  Timing timing = session.log.find_trial(best->trial).value().record.timing;
  widen(timing, session.reference_readings.drift());
  session.log.widen_interval(best->trial, timing.low_ns, timing.high_ns);
}

}  // namespace

void run_final_race(SessionState& session, const FinalRaceLimits& limits) {
  session.log.set_drift(session.id, std::expm1(session.reference_readings.drift()));
  race_until_recorded(session, limits);
  widen_unraced_best(session);
}

}  // namespace nestwright
