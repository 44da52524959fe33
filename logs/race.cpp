// The races that end sessions.
#include <fmt/format.h>

#include <algorithm>

#include "logs/best.h"
#include "logs/encode.h"
#include "logs/state.h"
#include "logs/task.h"
#include "support/error.h"

namespace nestwright {
namespace {

void require_sound(const Race& race) {
  if (race.winner < 0 || race.winner >= static_cast<int>(race.entries.size())) {
    throw LogError("a race needs a winner among its entries");
  }
  const Measurement& winner = race.entries[race.winner].measurement;
  if (winner.outcome != Outcome::kOk || !winner.evidence.verified || winner.timing.ended_early ||
      winner.timing.median_ns <= 0) {
    throw LogError("a race can only be won by an entry that was checked, is right and was timed to the end");
  }
}

}  // namespace

std::optional<BestRecord> TuningLog::record_race(SessionId session, const Race& race,
                                                 const std::vector<TemplateVersion>& templates) {
  require_sound(race);
  sqlite::Database& database = state_->database;
  sqlite::Transaction transaction(database);
  const StoredTask task = task_of_session(database, session);
  sqlite::Statement task_of_trial = database.prepare(
      "SELECT session.task_id FROM trial JOIN session ON session.id = trial.session_id WHERE trial.id = ?");
  for (const RaceEntry& entry : race.entries) {
    if (!task_of_trial.bind(entry.trial).step() || task_of_trial.integer(0) != task.id) {
      throw LogError(
          fmt::format("trial {} of database '{}' is not one of the task that is raced", entry.trial, database.path()));
    }
  }
  // Only a race can displace a race's winner. One that stands in for a race was never compared to anything.
  const auto stored = best_of_task(database, task, encode_templates(templates));
  const auto is_stored = [&](const RaceEntry& entry) { return entry.trial == stored->trial; };
  if (stored && stored->from_race && std::none_of(race.entries.begin(), race.entries.end(), is_stored)) return stored;

  database
      .prepare(fmt::format("INSERT INTO race(session_id, task_id, pipeline, winner_trial_id, recorded_at)"
                           " VALUES (?, ?, ?, ?, {})",
                           kNow))
      .bind(session, task.id, static_cast<int>(race.pipeline), race.entries[race.winner].trial)
      .run();
  const std::int64_t race_id = database.last_insert_id();
  sqlite::Statement insert =
      database.prepare(fmt::format("INSERT INTO race_entry(race_id, trial_id, role, tied, {})"
                                   " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                                   kMeasurementColumns));
  for (const RaceEntry& entry : race.entries) {
    insert.bind(race_id, entry.trial, entry.role, entry.tied);
    bind_measurement(insert, entry.measurement);
    insert.run();
  }
  transaction.commit();
  return std::nullopt;
}

}  // namespace nestwright
