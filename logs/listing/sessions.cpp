#include "logs/listing/sessions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "logs/best.h"
#include "logs/encode.h"
#include "logs/read_or_note.h"
#include "logs/session_locks.h"
#include "logs/task.h"

namespace nestwright {
namespace {

using sqlite::Database;
using sqlite::Statement;

constexpr const char* kSelect =
    "SELECT id, seed, strategy, cost_model, options, status, reason, owner, rule, anchor_trial_id, anchor_ns,"
    " incumbent_trial_id, code_generator, kernel, microcode, huge_pages, plugins, drift, funnel, started_at, ended_at,"
    " 86400 * (julianday(ended_at) - julianday(started_at)) FROM session WHERE id = ?";

ListedSession read_session(const Statement& row, const TaskKey& task) {
  ListedSession session;
  session.id = row.integer(0);
  session.task = task;
  session.seed = row.text(1);
  session.strategy = row.text(2);
  session.cost_model = row.text(3);
  session.options = task.workload.source.empty() ? row.text(4) : "{}";  // else fields of a file, perhaps very many
  session.status = row.text(5);
  session.reason = row.text(6);
  session.owner = row.text(7);
  session.rule = static_cast<ScoringRule>(row.integer(8));
  session.anchor = row.integer(9);
  session.anchor_ns = row.real(10);
  session.incumbent = row.integer(11);
  session.made_by = {row.text(12), row.text(13), row.text(14), row.text(15), decode_texts(row.text(16))};
  session.drift = row.real(17);
  session.funnel = row.text(18);
  session.started_at = row.text(19);
  session.ended_at = row.text(20);
  if (!row.is_null(21)) session.seconds = row.real(21);
  return session;
}

/// Counts the trials of sessions and finds the fastest ones. An index answers how many there are and how many have a
/// time; only the rows of the others are read.
class TrialCounts {
 public:
  explicit TrialCounts(const Database& database)
      : counts_(database.prepare("SELECT count(*), count(median_ns) FROM trial WHERE session_id = ?")),
        outcomes_(database.prepare("SELECT outcome, count(*) FROM trial WHERE session_id = ? AND median_ns IS NULL"
                                   " GROUP BY outcome ORDER BY outcome")),
        fastest_(database.prepare(fmt::format("SELECT id, median_ns FROM trial WHERE session_id = ? AND median_ns > 0"
                                              " AND {} ORDER BY median_ns LIMIT 1",
                                              is_sound_trial()))) {}

  void add_to(ListedSession& session) {
    counts_.bind(session.id).step();
    session.trials = counts_.integer(0);
    session.timed = counts_.integer(1);
    outcomes_.bind(session.id);
    while (outcomes_.step()) {
      session.not_timed.push_back({static_cast<Outcome>(outcomes_.integer(0)), outcomes_.integer(1)});
    }
    if (!fastest_.bind(session.id).step()) return;
    session.best = fastest_.integer(0);
    session.best_ns = fastest_.real(1);
  }

 private:
  Statement counts_, outcomes_, fastest_;
};

/// A session that matches, before it is read.
struct Match {
  std::string started_at;
  SessionId session = 0;
  std::size_t task = 0;  ///< index
  friend auto operator<=>(const Match&, const Match&) = default;
};

std::vector<Match> matching_sessions(const Database& database, const std::vector<StoredTask>& tasks,
                                     const SessionFilter& filter) {
  Statement select = database.prepare(
      "SELECT started_at, id FROM session WHERE task_id = ? AND (?2 = 0 OR id = ?2) AND started_at >= ?3");
  std::vector<Match> matches;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    select.bind(tasks[i].id, filter.session, filter.since);
    while (select.step()) matches.push_back({select.text(0), select.integer(1), i});
  }
  std::sort(matches.begin(), matches.end());
  return matches;
}

}  // namespace

SessionListing list_sessions(const Database& database, const SessionLocks& locks, const SessionFilter& filter) {
  const std::vector<StoredTask> tasks = matching_tasks(database, filter.tasks);
  std::vector<Match> matches = matching_sessions(database, tasks, filter);
  SessionListing listing;
  listing.matching = static_cast<std::int64_t>(matches.size());
  if (filter.limit > 0 && listing.matching > filter.limit) matches.erase(matches.begin(), matches.end() - filter.limit);
  Statement select = database.prepare(kSelect);
  TrialCounts counts(database);
  for (const Match& match : matches) {
    if (!select.bind(match.session).step()) continue;
    auto session =
        read_or_note(database, "session", match.session, [&] { return read_session(select, tasks[match.task].key); });
    if (!session) continue;
    session->is_held = locks.is_held(session->id);
    counts.add_to(*session);
    listing.sessions.push_back(std::move(*session));
  }
  return listing;
}

}  // namespace nestwright
