// TuningLog's release of failed trials whose points are worth another measurement.
#include "logs/state.h"
#include "nestwright/database.h"

namespace nestwright {

using sqlite::Database;
using sqlite::Transaction;

namespace {

/// What refers to a trial needs it: a race had it among its entries, or a session was anchored to it.
constexpr const char* kForget =
    "WITH failed AS (SELECT trial.id FROM trial JOIN proposal ON proposal.id = trial.proposal_id"
    "  JOIN space ON space.id = proposal.space_id"
    "  WHERE trial.session_id = ? AND trial.outcome <> 0 AND trial.same_as_trial_id IS NULL"
    "  AND space.template = ? AND space.template_version = ?"
    "  AND NOT EXISTS (SELECT 1 FROM race_entry WHERE race_entry.trial_id = trial.id)"
    "  AND NOT EXISTS (SELECT 1 FROM session WHERE session.task_id = space.task_id"
    "                  AND trial.id IN (session.anchor_trial_id, session.incumbent_trial_id)))"
    " DELETE FROM trial WHERE id IN failed OR same_as_trial_id IN failed";

}  // namespace

void TuningLog::forget_failures(SessionId of, const std::vector<TemplateVersion>& templates) {
  Database& database = state_->database;
  Transaction transaction(database);
  for (const TemplateVersion& from : templates) {
    database.prepare(kForget).bind(of, from.name, from.version).run();
  }
  transaction.commit();
}

}  // namespace nestwright
