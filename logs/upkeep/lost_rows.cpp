#include "logs/upkeep/lost_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "logs/state.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

using sqlite::Database;

class Completion {
 public:
  Completion(Database& database, std::vector<RepairedTable>& tables) : database_(database), tables_(tables) {}

  void restore(const char* table, const std::string& sql) {
    database_.execute(sql);
    entry(table).restored += database_.changed_rows();
  }
  /// Drops the rows of `table` for which `condition` holds.
  void drop(const char* table, const std::string& condition) {
    database_.execute(fmt::format("DELETE FROM {} WHERE {}", table, condition));
    entry(table).dropped += database_.changed_rows();
  }
  /// Drops the rows of `table` whose `column` names no row of `parent`.
  void drop_orphans(const char* table, const char* column, const char* parent) {
    drop(table, fmt::format("{0} IS NOT NULL AND {0} NOT IN (SELECT id FROM {1})", column, parent));
  }

 private:
  RepairedTable& entry(const char* name) {
    const auto found =
        std::find_if(tables_.begin(), tables_.end(), [&](const RepairedTable& each) { return each.name == name; });
    check(found != tables_.end(), "a table that was not copied");
    return *found;
  }

  Database& database_;
  std::vector<RepairedTable>& tables_;
};

/// A batch that was lost belongs to the session of the first of its trials; its number, which must be unlike those of
/// the session's other batches, is negative.
const std::string kRestoreBatches =
    "INSERT INTO batch(id, session_id, number, runner_session_id, committed_at)"
    " SELECT proposal.batch_id, trial.session_id, -proposal.batch_id, trial.session_id, min(trial.recorded_at)"
    " FROM proposal JOIN trial ON trial.proposal_id = proposal.id"
    " WHERE proposal.batch_id NOT IN (SELECT id FROM batch) GROUP BY proposal.batch_id";

const std::string kRestoreSessions = fmt::format(
    "INSERT INTO session(id, task_id, seed, strategy, cost_model, options, status, reason, owner, rule, started_at,"
    " ended_at) SELECT trial.session_id, space.task_id, '0', 'unknown', 'unknown', '{{}}', 'killed', '{}', '', 2,"
    " min(trial.recorded_at), max(trial.recorded_at) FROM trial JOIN proposal ON proposal.id = trial.proposal_id"
    " JOIN space ON space.id = proposal.space_id WHERE trial.session_id NOT IN (SELECT id FROM session)"
    " AND space.task_id IN (SELECT id FROM task) GROUP BY trial.session_id",
    kLostSession);

}  // namespace

void complete_rows(Database& database, std::vector<RepairedTable>& tables) {
  sqlite::Transaction transaction(database);
  Completion completion(database, tables);
  completion.drop_orphans("task", "workload_id", "workload");
  completion.drop_orphans("task", "target_id", "target");
  completion.drop_orphans("space", "task_id", "task");
  completion.drop_orphans("session", "task_id", "task");
  completion.drop_orphans("proposal", "space_id", "space");
  completion.restore("session", kRestoreSessions);
  completion.drop_orphans("trial", "proposal_id", "proposal");
  completion.drop_orphans("trial", "session_id", "session");
  completion.drop_orphans("trial", "same_as_trial_id", "trial");
  completion.drop_orphans("batch", "session_id", "session");
  completion.restore("batch", kRestoreBatches);
  completion.drop_orphans("proposal", "batch_id", "batch");
  database.execute(
      "UPDATE batch SET runner_session_id = session_id WHERE runner_session_id NOT IN (SELECT id FROM session);"
      "UPDATE session SET anchor_trial_id = NULL, anchor_ns = NULL WHERE anchor_trial_id NOT IN (SELECT id FROM trial);"
      "UPDATE session SET incumbent_trial_id = NULL WHERE incumbent_trial_id NOT IN (SELECT id FROM trial)");
  completion.drop_orphans("race", "session_id", "session");
  completion.drop_orphans("race", "task_id", "task");
  completion.drop_orphans("race_entry", "trial_id", "trial");
  // A race without its winner's entry says nothing.
  completion.drop("race",
                  "winner_trial_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM race_entry"
                  " WHERE race_entry.race_id = race.id AND race_entry.trial_id = race.winner_trial_id)");
  completion.drop_orphans("race_entry", "race_id", "race");
  database.execute(R"sql(
UPDATE task SET trials = 0, spent_ms = 0;
UPDATE task SET trials = recorded.trials, spent_ms = recorded.spent_ms
FROM (SELECT session.task_id, count(*) AS trials, sum(compile_ms + check_ms + measure_ms) AS spent_ms
      FROM trial JOIN session ON session.id = trial.session_id GROUP BY 1) AS recorded
WHERE recorded.task_id = task.id;
UPDATE batch SET unmeasured = 0;
UPDATE batch SET unmeasured = waiting.points
FROM (SELECT batch_id, count(*) AS points FROM proposal
      WHERE NOT EXISTS (SELECT 1 FROM trial WHERE proposal_id = proposal.id) GROUP BY 1) AS waiting
WHERE waiting.batch_id = batch.id;
)sql");
  transaction.commit();
  check(!database.prepare("PRAGMA foreign_key_check").step(), "a repaired row refers to one that does not exist");
}

}  // namespace nestwright
