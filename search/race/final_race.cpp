#include "search/race/final_race.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "search/race/verdict.h"

namespace nestwright {
namespace {

constexpr int kChallengers = 2;  // from each earlier session that ended without a race
constexpr int kAttempts = 3;     // another process may store a best during the race

/// Whether the default, which is only compared with, would take more than its part of the seconds that are left: an
/// untimed and a timed call in each of three processes, after its checks. False if its time is not known.
bool is_default_too_slow(const SessionTrials& trials, double seconds_left) {
  constexpr double kShare = 0.2;
  constexpr int kCalls = 10;
  if (!trials.anchor() || trials.anchor()->id != trials.default_trial()) return false;
  return 1e-9 * kCalls * trials.anchor()->ns > kShare * seconds_left;
}

/// All entrants; the stored best comes first, as the one that the others are compared with.
Entrants collect_entrants(const TaskContext& context, const SessionTrials& trials, const Tools& tools,
                          const std::optional<BestRecord>& stored, std::span<const SessionTrial> finalists,
                          double seconds_left) {
  Entrants entrants;
  // A session of one template or a restriction replaces the task's best only if it beats it, wherever that is.
  if (const auto point = stored ? tools.space.find_anywhere(stored->point) : std::nullopt) {
    entrants.add(stored->trial, *point, kIncumbentRole);
  }
  if (trials.incumbent()) entrants.add(trials.incumbent()->id, trials.incumbent()->point, "finalist");
  for (const TrialRecord& trial : tools.log.challengers(context.key(), kChallengers, tools.versions)) {
    const auto point = tools.space.find(trial.point);
    if (trial.session != tools.id && point) entrants.add(trial.id, *point, "finalist");
  }
  for (const SessionTrial& trial : finalists) entrants.add(trial.id, trial.point, "finalist");

  const std::optional<Point>& untuned = trials.default_point();
  const bool is_left_out = !entrants.entries.empty() && is_default_too_slow(trials, seconds_left);
  if (trials.default_trial() != 0 && untuned && !is_left_out) entrants.add(trials.default_trial(), *untuned, "default");
  return entrants;
}

/// The fastest `n`, among them the fastest of each template that is within 5% of the best: the final pipeline, whose
/// passes the search leaves out, may change the order of templates more than that of alike configurations.
std::vector<SessionTrial> fastest(std::vector<SessionTrial> trials, int n) {
  constexpr double kNear = 1.05;
  std::stable_sort(trials.begin(), trials.end(),
                   [](const SessionTrial& a, const SessionTrial& b) { return a.ns < b.ns; });
  const double limit = trials.empty() ? 0 : kNear * trials.front().ns;
  std::set<std::string> templates;
  std::stable_partition(trials.begin(), trials.end(), [&](const SessionTrial& trial) {
    return trial.ns <= limit && templates.insert(trial.point.template_name).second;
  });
  trials.resize(std::min(trials.size(), static_cast<std::size_t>(n)));
  return trials;
}

/// Returns the entrants with their times in the preliminary race, as the times that selected them are biased by luck. A
/// disturbed time is still a ratio of readings of the same passes, and only selects who is timed again. An entrant that
/// fails sorts last.
std::vector<SessionTrial> hold_preliminary_race(Tools& tools, std::vector<SessionTrial> entrants,
                                                const FinalRaceLimits& limits) {
  RaceLimits race = race_limits(limits, "preliminary race");
  race.seconds_left = [left = limits.seconds_left, for_final_s = limits.seconds_left() / 2] {
    return std::isinf(for_final_s) ? for_final_s : left() - for_final_s;
  };
  std::vector<Point> points;
  for (const SessionTrial& entrant : entrants) points.push_back(entrant.point);
  const std::vector<BuiltPoint> built =
      tools.build(points, Pipeline::kSearch, [&] { return race.seconds_left() <= 0; });
  std::vector<Contender> contenders;
  std::vector<SessionTrial> timed;
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    if (built[i].result.outcome != Outcome::kOk) continue;
    contenders.push_back({&built[i].result.object});
    timed.push_back(std::move(entrants[i]));
  }
  const std::vector<Measurement> measured = tools.runner->preliminary_race(contenders, race);
  for (std::size_t i = 0; i < timed.size(); ++i) {
    const Measurement& m = measured[i];
    const bool is_timed = m.outcome == Outcome::kOk && m.timing.median_ns > 0;
    timed[i].ns = is_timed ? m.timing.median_ns : std::numeric_limits<double>::infinity();
  }
  return timed;
}

std::vector<SessionTrial> choose_finalists(const SessionTrials& known, Tools& tools, const FinalRaceLimits& limits,
                                           bool is_interrupted) {
  const RacePlan plan = tools.race_plan(known.incumbent_ns());
  const auto wanted = static_cast<std::size_t>(plan.finalists);
  std::vector<SessionTrial> trials = known.sound();
  if (trials.size() < wanted) {  // the machine was disturbed nearly all the time
    std::ranges::move(known.disturbed(), std::back_inserter(trials));
  }
  const bool is_over = is_interrupted || limits.seconds_left() <= 0;
  if (plan.preliminary == 0 || trials.size() <= wanted || is_over) return fastest(trials, plan.finalists);
  std::vector<SessionTrial> entrants = fastest(std::move(trials), plan.preliminary);
  return fastest(hold_preliminary_race(tools, std::move(entrants), limits), plan.finalists);
}

/// Makes the fastest entrant of a race without time for three processes the session's confirmed incumbent: one or two
/// processes are better evidence than the confirmation in the search. Does nothing after a race that was disturbed.
void confirm_fastest(SessionTrials& trials, const Tools& tools, Race race, const Entrants& entrants) {
  for (RaceEntry& entry : race.entries) {
    Timing& timing = entry.measurement.timing;
    if (std::exchange(timing.is_short, false)) timing.disturbance.clear();
  }
  const Verdict verdict = conclude_race(race.entries);
  if (!verdict.winner || !verdict.disturbance.empty()) return;
  const RaceEntry& fastest = race.entries[static_cast<std::size_t>(*verdict.winner)];
  const auto entry = std::ranges::find(entrants.entries, fastest.trial, &RaceEntry::trial);
  const bool is_lost = entry == entrants.entries.end();
  if (fastest.role == kIncumbentRole || is_lost || !tools.log.may_be_best(fastest.trial)) return;
  const Timing& timing = fastest.measurement.timing;
  tools.log.set_incumbent(tools.id, fastest.trial);
  tools.log.widen_interval(fastest.trial, timing.low_ns, timing.high_ns);
  const auto i = static_cast<std::size_t>(entry - entrants.entries.begin());
  trials.set_incumbent({fastest.trial, entrants.points[i], timing.median_ns}, entrants.kernels[i]);
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
void race_until_recorded(const TaskContext& context, SessionTrials& trials, Tools& tools, const FinalRaceLimits& limits,
                         SessionResult& result) {
  if (tools.options.finalists == 0) return;
  const std::vector<SessionTrial> finalists = choose_finalists(trials, tools, limits, result.interrupted);
  std::optional<BestRecord> stored = tools.log.stored_best(tools.id, context.usable_templates());
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Entrants entrants = collect_entrants(context, trials, tools, stored, finalists, limits.seconds_left());
    if (entrants.entries.empty()) return;
    if (limits.seconds_left() <= 0) {
      result.race_disturbance = kTimeWasOver;
      return;
    }
    Race race = hold_race(tools, limits, entrants);
    if (!race.winner && race.disturbance.empty()) return;
    result.race_disturbance = race.disturbance;
    for (const RaceEntry& entry : race.entries) {
      if (entry.trial == trials.default_trial() && is_sound(entry.measurement)) {
        result.default_timing = entry.measurement.timing;
      }
    }
    if (stored && !tools.space.find_anywhere(stored->point)) race.entries.push_back(entry_of_lost_point(*stored));
    const bool is_short = !race.disturbance.empty();
    stored = tools.log.record_race(tools.id, with_drift(race, trials.reference_readings), context.usable_templates());
    if (stored) continue;
    if (is_short) confirm_fastest(trials, tools, race, entrants);
    return;
  }
}

/// Without a winner of a race, the session's answer was timed in one process for less than a second: widens the
/// interval of its score by the drift.
void widen_unraced_best(const TaskContext& context, const Tools& tools, double drift) {
  const std::optional<BestRecord> best = tools.log.best(filter_of(context.key()), tools.versions);
  if (!best || best->session != tools.id || best->source != BestSource::kConfirmed) return;
  Timing timing = tools.log.find_trial(best->trial).value().timing;
  widen(timing, drift);
  tools.log.widen_interval(best->trial, timing.low_ns, timing.high_ns);
}

}  // namespace

void run_final_race(const TaskContext& context, SessionTrials& trials, Tools& tools, const FinalRaceLimits& limits,
                    SessionResult& result) {
  tools.log.set_drift(tools.id, std::expm1(trials.reference_readings.drift()));
  race_until_recorded(context, trials, tools, limits, result);
  widen_unraced_best(context, tools, trials.reference_readings.drift());
}

}  // namespace nestwright
