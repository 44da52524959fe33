#include "search/race/hold_race.h"

#include <utility>

#include "measure/race/quiet_estimate.h"
#include "search/propose/session_trial.h"
#include "search/race/verdict.h"

namespace nestwright {
namespace {

/// hold_race() in steps.
class HeldRace {
 public:
  HeldRace(Tools& tools, const FinalRaceLimits& limits) : tools_(tools), limits_(limits) {}

  Race hold(Entrants& entrants) {
    Race race;
    entrants.kernels = tools_.build(entrants.points, Pipeline::kFinal, [this] { return limits_.seconds_left() <= 0; });
    std::vector<Contender> contenders;
    std::vector<std::size_t> entry_of;
    for (std::size_t i = 0; i < entrants.entries.size(); ++i) {
      const BuildResult& result = entrants.kernels[i].result;
      if (result.is_skipped) {
        race.disturbance = kTimeWasOver;
        return race;
      }
      RaceEntry& entry = race.entries.emplace_back(entrants.entries[i]);
      entry.measurement.outcome = result.outcome;
      entry.measurement.message = result.message;
      if (result.outcome != Outcome::kOk) continue;
      contenders.push_back({&result.object});
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
    if (limits_.seconds_left() < tools_.runner->check_preparation_s()) return false;
    for (const Contender& contender : contenders) {
      if (limits_.seconds_left() <= 0) return false;
      checked.push_back(tools_.runner->check({contender}).front());
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
    const std::vector<Measurement> timed = tools_.runner->race(contenders, race_limits(limits_, "final race"));
    for (std::size_t i = 0; i < timed.size(); ++i) {
      RaceEntry& entry = race.entries[entry_of[i]];
      const Evidence evidence = entry.measurement.evidence;
      entry.measurement = timed[i];
      entry.measurement.evidence = evidence;
      entry.process_medians_ns = process_medians(timed[i].timing);
    }
  }

  Tools& tools_;
  const FinalRaceLimits& limits_;
};

}  // namespace

RaceLimits race_limits(const FinalRaceLimits& limits, const std::string& doing) {
  RaceLimits race{.seconds_left = limits.seconds_left};
  if (limits.on_progress) race.on_process = [=](const RaceProgress& progress) { limits.on_progress(doing, progress); };
  return race;
}

Race hold_race(Tools& tools, const FinalRaceLimits& limits, Entrants& entrants) {
  return HeldRace(tools, limits).hold(entrants);
}

RaceEntry entry_of_lost_point(const BestRecord& stored) {
  RaceEntry entry;
  entry.trial = stored.trial;
  entry.role = kIncumbentRole;
  entry.measurement.outcome = Outcome::kInvalidConfig;
  entry.measurement.message = "the template does not have this configuration any more";
  return entry;
}

}  // namespace nestwright
