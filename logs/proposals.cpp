// TuningLog's spaces and proposals of a task, and what its sessions considered before they proposed them.
#include <fmt/format.h>

#include "logs/encode.h"
#include "logs/read_or_note.h"
#include "logs/state.h"
#include "logs/task.h"
#include "nestwright/error.h"

namespace nestwright {

using sqlite::Statement;

void TuningLog::set_funnel(SessionId session, const SearchFunnel& funnel) {
  sqlite::Database& database = state_->database;
  sqlite::Transaction transaction(database);
  database.prepare("UPDATE session SET funnel = ? WHERE id = ?").bind(encode_funnel(funnel), session).run();
  if (database.changed_rows() == 0) {
    throw LogError(
        fmt::format("database '{}' has no session {} whose funnel could be recorded", database.path(), session));
  }
  transaction.commit();
}

std::vector<SpaceRecord> TuningLog::spaces(const TaskKey& task) const {
  const auto stored = stored_task(state_->database, task);
  if (!stored) return {};
  Statement select = state_->database.prepare(
      "SELECT template, template_version, valid_points, estimated FROM space WHERE task_id = ?"
      " AND valid_points IS NOT NULL ORDER BY id");
  select.bind(stored->id);
  std::vector<SpaceRecord> spaces;
  while (select.step()) {
    spaces.push_back({{select.text(0), static_cast<int>(select.integer(1))}, {select.real(2), select.integer(3) != 0}});
  }
  return spaces;
}

std::vector<SessionProposals> TuningLog::proposals(const TaskKey& task) const {
  const sqlite::Database& database = state_->database;
  const auto stored = stored_task(database, task);
  if (!stored) return {};
  std::vector<SessionProposals> sessions;
  Statement select = database.prepare(
      "SELECT id, funnel, (SELECT count(*) FROM batch JOIN proposal ON proposal.batch_id = batch.id"
      " WHERE batch.session_id = session.id) FROM session WHERE task_id = ? ORDER BY id");
  select.bind(stored->id);
  while (select.step()) {
    SessionProposals& session = sessions.emplace_back();
    session.session = select.integer(0);
    session.proposed = select.integer(2);
    if (select.is_null(1)) continue;
    session.funnel = read_or_note(database, "session", session.session, [&] { return decode_funnel(select.text(1)); });
  }
  // A trigger counts the proposals without a trial, so that batches that are done are not searched for them.
  Statement unmeasured = database.prepare(
      fmt::format("SELECT proposal.id, {} FROM batch JOIN proposal ON proposal.batch_id = batch.id"
                  " JOIN space ON space.id = proposal.space_id WHERE batch.session_id = ? AND batch.unmeasured > 0"
                  " AND NOT EXISTS (SELECT 1 FROM trial WHERE trial.proposal_id = proposal.id) ORDER BY proposal.id",
                  kPointColumns));
  for (SessionProposals& session : sessions) {
    unmeasured.bind(session.session);
    while (unmeasured.step()) {
      auto point = read_or_note(database, "proposal", unmeasured.integer(0), [&] { return read_point(unmeasured, 1); });
      if (point) session.unmeasured.push_back(std::move(*point));
    }
  }
  return sessions;
}

}  // namespace nestwright
