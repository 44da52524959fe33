// TuningLog's session units: the anchor that defines the unit of a session's times, and its confirmed incumbent.
#include <fmt/format.h>

#include <cmath>

#include "logs/best.h"
#include "logs/encode.h"
#include "logs/read_or_note.h"
#include "logs/state.h"
#include "logs/task.h"
#include "nestwright/error.h"

namespace nestwright {

using sqlite::Database;
using sqlite::Statement;
using sqlite::Transaction;

void TuningLog::set_anchor(SessionId session, TrialId trial, double ns) {
  if (!std::isfinite(ns) || ns <= 0) {
    throw LogError(fmt::format("the anchor of session {} needs a positive time, not {} ns", session, ns));
  }
  Database& database = state_->database;
  Transaction transaction(database);
  require_trial_of_task(database, trial, session);
  database.prepare("UPDATE session SET anchor_trial_id = ?, anchor_ns = ? WHERE id = ? AND anchor_trial_id IS NULL")
      .bind(trial, ns, session)
      .run();
  if (database.changed_rows() == 0) {
    throw LogError(fmt::format("session {} of database '{}' has an anchor already: its times are in that unit", session,
                               database.path()));
  }
  transaction.commit();
}

void TuningLog::set_incumbent(SessionId session, TrialId trial) {
  Database& database = state_->database;
  Transaction transaction(database);
  require_trial_of_task(database, trial, session);
  if (!may_be_best(trial)) {
    throw LogError(fmt::format(
        "trial {} of database '{}' cannot be an incumbent: it is not right, was not timed to the end or was disturbed, "
        "takes another trial's measurement, or failed in a race",
        trial, database.path()));
  }
  database.prepare("UPDATE session SET incumbent_trial_id = ? WHERE id = ?").bind(trial, session).run();
  transaction.commit();
}

void TuningLog::set_drift(SessionId session, double drift) {
  Transaction transaction(state_->database);
  state_->database.prepare("UPDATE session SET drift = ? WHERE id = ?").bind(drift, session).run();
  transaction.commit();
}

void TuningLog::widen_interval(TrialId trial, double low_ns, double high_ns) {
  Transaction transaction(state_->database);
  state_->database.prepare("UPDATE trial SET low_ns = min(low_ns, ?), high_ns = max(high_ns, ?) WHERE id = ?")
      .bind(low_ns, high_ns, trial)
      .run();
  transaction.commit();
}

bool TuningLog::may_be_best(TrialId trial) const {
  const std::string query = fmt::format("SELECT 1 FROM trial WHERE id = ? AND {}", is_sound_trial());
  return state_->database.prepare(query).bind(trial).step();
}

std::vector<SessionUnit> TuningLog::session_units(const TaskKey& task) const {
  const auto stored = stored_task(state_->database, task);
  if (!stored) return {};
  Statement select = state_->database.prepare(
      "SELECT id, rule, anchor_trial_id, anchor_ns, code_generator, plugins FROM session WHERE task_id = ? ORDER BY "
      "id");
  select.bind(stored->id);
  std::vector<SessionUnit> units;
  while (select.step()) {
    const auto unit = read_or_note(state_->database, "session", select.integer(0), [&] {
      return SessionUnit{select.integer(0), static_cast<ScoringRule>(select.integer(1)),
                         select.integer(2), select.real(3),
                         select.text(4),    decode_texts(select.text(5))};
    });
    if (unit) units.push_back(*unit);
  }
  return units;
}

}  // namespace nestwright
