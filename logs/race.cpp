// TuningLog's races, which end sessions.
#include <fmt/format.h>

#include <algorithm>

#include "logs/best.h"
#include "logs/encode.h"
#include "logs/state.h"
#include "logs/task.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

void require_sound_winner(const Race& race) {
  const bool is_disturbed = !race.disturbance.empty();
  if (!race.winner && is_disturbed) return;
  if (!race.winner || *race.winner < 0 || *race.winner >= static_cast<int>(race.entries.size())) {
    throw LogError("a race needs a winner among its entries, unless the machine was disturbed");
  }
  const Measurement& winner = race.entries[*race.winner].measurement;
  if (winner.outcome != Outcome::kOk || !winner.evidence.verified || winner.timing.ended_early ||
      winner.timing.median_ns <= 0 || (winner.timing.is_disturbed() && !is_disturbed)) {
    throw LogError(
        "a race can only be won by an entry that was checked, is right and was timed to the end without a disturbance");
  }
}

}  // namespace

std::optional<BestRecord> TuningLog::record_race(SessionId session, const Race& race,
                                                 const std::vector<TemplateVersion>& templates) {
  require_sound_winner(race);
  sqlite::Database& database = state_->database;
  sqlite::Transaction transaction(database);
  const StoredTask task = task_of_session(database, session);
  for (const RaceEntry& entry : race.entries) require_trial_of_task(database, entry.trial, session);
  // A stored best is replaced only by a comparison, never by its absence; a disturbed race replaces nothing.
  const auto stored = stored_best_of(database, session, task, encode_templates(templates));
  const auto is_stored = [&](const RaceEntry& entry) { return stored && entry.trial == stored->trial; };
  const bool is_compared = std::any_of(race.entries.begin(), race.entries.end(), is_stored);
  if (stored && !is_compared && race.disturbance.empty()) return stored;

  // The last race answers: it has to be the last one by its time, even if the clock was set back.
  database
      .prepare(fmt::format("INSERT INTO race(session_id, task_id, pipeline, winner_trial_id, disturbance, recorded_at)"
                           " VALUES (?1, ?2, ?3, ?4, ?5,"
                           "  max({}, coalesce((SELECT max(recorded_at) FROM race WHERE task_id = ?2), '')))",
                           kNow))
      .bind(session, task.id, static_cast<int>(race.pipeline),
            race.winner ? std::optional(race.entries[*race.winner].trial) : std::nullopt, race.disturbance)
      .run();
  const std::int64_t race_id = database.last_insert_id();
  sqlite::Statement insert =
      database.prepare(fmt::format("INSERT INTO race_entry(race_id, trial_id, role, tied, process_medians_ns, {})"
                                   " VALUES ({})",
                                   kMeasurementColumns, placeholders(5 + kMeasurementColumnCount)));
  for (const RaceEntry& entry : race.entries) {
    insert.bind(race_id, entry.trial, is_stored(entry) ? kIncumbentRole : entry.role, entry.tied,
                encode_numbers(entry.process_medians_ns));
    bind_measurement(insert, entry.measurement);
    insert.run();
  }
  transaction.commit();
  return std::nullopt;
}

}  // namespace nestwright
