#include "logs/upkeep/delete.h"

#include <fmt/format.h>

#include "logs/upkeep/existing_log.h"

namespace nestwright {
namespace {

using sqlite::Database;

// temp.doomed_session has the sessions that were selected, temp.session_of_task all those of their tasks,
// temp.kept_trial those of their trials that stay, and temp.doomed_trial the others.

void select_sessions(Database& database, const DeleteFilter& filter) {
  select_tasks(database, filter.tasks);
  database.execute("CREATE TABLE temp.doomed_session(id INTEGER PRIMARY KEY)");
  database
      .prepare(
          "INSERT INTO temp.doomed_session SELECT id FROM session WHERE task_id IN (SELECT id FROM temp.selected_task)"
          " AND (?1 = 0 OR id = ?1) AND (?2 = '' OR started_at < ?2)")
      .bind(filter.session, filter.before)
      .run();
  database.execute(R"sql(
CREATE TABLE temp.session_of_task(id INTEGER PRIMARY KEY);
INSERT INTO temp.session_of_task SELECT id FROM session
  WHERE task_id IN (SELECT task_id FROM session WHERE id IN (SELECT id FROM temp.doomed_session));
)sql");
}

/// Selects the trials that others name. A trial that stays keeps what its time depends on: the trial whose measurement
/// it takes, and the anchor of its session, which is the unit of its time.
void select_trials(Database& database) {
  database.execute(R"sql(
CREATE TABLE temp.kept_trial(id INTEGER PRIMARY KEY);
CREATE TABLE temp.named_trial(id INTEGER PRIMARY KEY);
INSERT OR IGNORE INTO temp.named_trial
  SELECT anchor_trial_id FROM session WHERE id NOT IN (SELECT id FROM temp.doomed_session) AND anchor_trial_id > 0
  UNION SELECT incumbent_trial_id FROM session
    WHERE id NOT IN (SELECT id FROM temp.doomed_session) AND incumbent_trial_id > 0
  UNION SELECT race_entry.trial_id FROM race_entry JOIN race ON race.id = race_entry.race_id
    WHERE race.session_id NOT IN (SELECT id FROM temp.doomed_session)
  UNION SELECT same_as_trial_id FROM trial
    WHERE same_as_trial_id > 0 AND session_id NOT IN (SELECT id FROM temp.doomed_session);
INSERT INTO temp.kept_trial SELECT named_trial.id FROM temp.named_trial JOIN trial ON trial.id = named_trial.id
  WHERE trial.session_id IN (SELECT id FROM temp.doomed_session);
)sql");
  do {
    database.execute(R"sql(
INSERT OR IGNORE INTO temp.kept_trial SELECT id FROM trial
  WHERE session_id IN (SELECT id FROM temp.doomed_session) AND id IN (
    SELECT same_as_trial_id FROM trial AS copy JOIN temp.kept_trial ON kept_trial.id = copy.id
    UNION SELECT anchor_trial_id FROM session WHERE id IN (
      SELECT trial.session_id FROM trial JOIN temp.kept_trial ON kept_trial.id = trial.id));
)sql");
  } while (database.changed_rows() > 0);
  database.execute(R"sql(
CREATE TABLE temp.doomed_trial(id INTEGER PRIMARY KEY);
INSERT INTO temp.doomed_trial SELECT id FROM trial
  WHERE session_id IN (SELECT id FROM temp.doomed_session) AND id NOT IN (SELECT id FROM temp.kept_trial);
)sql");
}

/// Triggers count the trials of tasks and the unmeasured points of batches, but not proposals that are deleted.
void delete_rows(Database& database) {
  database.execute(R"sql(
DELETE FROM race_entry
  WHERE race_id IN (SELECT id FROM race WHERE session_id IN (SELECT id FROM temp.doomed_session));
DELETE FROM race WHERE session_id IN (SELECT id FROM temp.doomed_session);
UPDATE session SET anchor_trial_id = NULL, anchor_ns = NULL
  WHERE id IN (SELECT id FROM temp.doomed_session) AND anchor_trial_id IN (SELECT id FROM temp.doomed_trial);
UPDATE session SET incumbent_trial_id = NULL
  WHERE id IN (SELECT id FROM temp.doomed_session) AND incumbent_trial_id IN (SELECT id FROM temp.doomed_trial);
DELETE FROM trial WHERE id IN (SELECT id FROM temp.doomed_trial);

CREATE TABLE temp.doomed_batch(id INTEGER PRIMARY KEY);
INSERT INTO temp.doomed_batch SELECT batch.id FROM batch JOIN session AS runner ON runner.id = batch.runner_session_id
  WHERE batch.session_id IN (SELECT id FROM temp.doomed_session)
  AND (runner.id IN (SELECT id FROM temp.doomed_session) OR runner.status <> 'running');
DELETE FROM proposal WHERE batch_id IN (SELECT id FROM temp.doomed_batch)
  AND NOT EXISTS (SELECT 1 FROM trial WHERE trial.proposal_id = proposal.id);
UPDATE batch SET unmeasured = 0 WHERE id IN (SELECT id FROM temp.doomed_batch);
DELETE FROM batch WHERE id IN (SELECT id FROM temp.doomed_batch)
  AND NOT EXISTS (SELECT 1 FROM proposal WHERE proposal.batch_id = batch.id);
UPDATE batch SET runner_session_id = session_id WHERE runner_session_id IN (SELECT id FROM temp.doomed_session);

DELETE FROM session WHERE id IN (SELECT id FROM temp.doomed_session)
  AND NOT EXISTS (SELECT 1 FROM batch WHERE batch.session_id = session.id)
  AND NOT EXISTS (SELECT 1 FROM trial WHERE trial.session_id = session.id);
DELETE FROM space WHERE task_id IN (SELECT id FROM temp.selected_task)
  AND NOT EXISTS (SELECT 1 FROM session WHERE session.task_id = space.task_id);
DELETE FROM task WHERE id IN (SELECT id FROM temp.selected_task)
  AND NOT EXISTS (SELECT 1 FROM session WHERE session.task_id = task.id);
DELETE FROM workload WHERE id NOT IN (SELECT workload_id FROM task);
DELETE FROM network WHERE NOT EXISTS (
    SELECT 1 FROM task JOIN target ON target.id = task.target_id WHERE target.target = network.target
    AND target.machine = network.machine AND target.backend = network.backend AND task.cache = network.cache)
  OR EXISTS (SELECT 1 FROM json_each(network.kernels) AS kernel
    WHERE kernel.value ->> 'workload' NOT IN (SELECT workload FROM workload));
DELETE FROM target WHERE id NOT IN (SELECT target_id FROM task);
)sql");
}

}  // namespace

DeleteResult delete_sessions(const std::string& path, const DeleteFilter& filter, bool is_dry,
                             const OpenOptions& options) {
  Database database = open_existing_log(path, is_dry, options);
  DeleteResult result;
  {
    sqlite::Transaction transaction(database);
    select_sessions(database, filter);
    require_ended(database, "session WHERE id IN (SELECT id FROM temp.session_of_task)", path);
    const auto counted = [&](int sign) {
      result.tasks += sign * database.integer("SELECT count(*) FROM task");
      result.sessions += sign * database.integer("SELECT count(*) FROM session");
      result.races += sign * database.integer("SELECT count(*) FROM race");
    };
    counted(1);
    select_trials(database);
    result.trials = database.integer("SELECT count(*) FROM temp.doomed_trial");
    result.kept_trials = database.integer("SELECT count(*) FROM temp.kept_trial");
    delete_rows(database);
    counted(-1);
    result.kept_sessions = database.integer("SELECT count(*) FROM temp.doomed_session") - result.sessions;
    if (is_dry) return result;
    require_references(database);
    transaction.commit();
  }
  shrink_file(database);
  return result;
}

}  // namespace nestwright
