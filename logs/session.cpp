// TuningLog's sessions, batches and trials: the writing half of the log.
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>

#include "logs/encode.h"
#include "logs/read_or_note.h"
#include "logs/state.h"
#include "logs/task.h"
#include "nestwright/error.h"
#include "space/config_json.h"

namespace nestwright {
namespace {

using sqlite::Database;
using sqlite::Statement;
using sqlite::Transaction;

constexpr const char* kRunning = "running";

/// Marks dead sessions, so that their batches can be taken over.
void mark_dead_sessions(Database& database, const SessionLocks& locks, std::int64_t task) {
  Statement running = database.prepare("SELECT id FROM session WHERE task_id = ? AND status = ?");
  running.bind(task, kRunning);
  std::vector<SessionId> dead;
  while (running.step()) {
    if (!locks.is_held(running.integer(0))) dead.push_back(running.integer(0));
  }
  for (const SessionId session : dead) {
    database
        .prepare(
            fmt::format("UPDATE session SET status = ?, reason = 'its process died', ended_at = {} WHERE id = ?", kNow))
        .bind(session_status_name(SessionStatus::kKilled), session)
        .run();
  }
}

/// The measurement of the trial that `code` names. Requires that it was itself measured, so that trials which take
/// measurements do not form chains.
Measurement measured_code(const Database& database, SessionId session, const TrialCode& code) {
  Statement select = database.prepare(fmt::format(
      "SELECT {} FROM trial JOIN session ON session.id = trial.session_id WHERE trial.id = ? AND trial.code = ?"
      " AND trial.same_as_trial_id IS NULL AND session.task_id = (SELECT task_id FROM session WHERE id = ?)",
      measurement_columns("trial")));
  if (!select.bind(code.same_as, code.identity, session).step()) {
    throw LogError(fmt::format("trial {} of database '{}' is no measured one of this task with the code {}",
                               code.same_as, database.path(), code.identity));
  }
  return read_measurement(select, 0);
}

/// 0 if the text is malformed, which loses only the seed.
std::uint64_t decode_seed(const std::string& text) {
  std::uint64_t seed = 0;
  std::from_chars(text.data(), text.data() + text.size(), seed);
  return seed;
}

}  // namespace

const char* session_status_name(SessionStatus status) {
  switch (status) {
    case SessionStatus::kRunning:
      return kRunning;
    case SessionStatus::kDone:
      return "done";
    case SessionStatus::kInterrupted:
      return "interrupted";
    case SessionStatus::kFailed:
      return "failed";
    case SessionStatus::kKilled:
      return "killed";
  }
  throw InternalError("internal error: session status out of range");
}

SessionId TuningLog::begin_session(const TaskKey& task, const SessionInfo& info) {
  Database& database = state_->database;
  Transaction transaction(database);
  const std::int64_t task_id = ensure_task(database, task);
  mark_dead_sessions(database, state_->locks, task_id);
  database
      .prepare(
          fmt::format("INSERT INTO session(task_id, seed, strategy, cost_model, options, status, reason, owner, rule,"
                      " code_generator, kernel, microcode, huge_pages, plugins, started_at)"
                      " VALUES (?, ?, ?, ?, ?, ?, '', ?, ?, ?, ?, ?, ?, ?, {})",
                      kNow))
      .bind(task_id, std::to_string(info.seed), info.strategy, info.cost_model, info.options_json, kRunning,
            fmt::format("process {}", getpid()), static_cast<int>(ScoringRule::kPaired), info.made_by.code_generator,
            info.made_by.kernel, info.made_by.microcode, info.made_by.huge_pages, encode_texts(info.made_by.plugins))
      .run();
  const SessionId session = database.last_insert_id();
  // The lock is taken before other processes can see the session.
  state_->locks.hold(session);
  transaction.commit();
  return session;
}

void TuningLog::end_session(SessionId session, SessionStatus status, const std::string& reason) {
  Database& database = state_->database;
  Transaction transaction(database);
  database.prepare(fmt::format("UPDATE session SET status = ?, reason = ?, ended_at = {} WHERE id = ?", kNow))
      .bind(session_status_name(status), reason, session)
      .run();
  if (database.changed_rows() == 0) {
    throw LogError(fmt::format("database '{}' has no session {} to end", database.path(), session));
  }
  transaction.commit();
  state_->locks.release(session);
}

void TuningLog::describe_space(SessionId session, const TemplateVersion& from, double valid_points, bool estimated) {
  Database& database = state_->database;
  Transaction transaction(database);
  const std::int64_t space = ensure_space(database, task_of_session(database, session).id, from);
  database.prepare("UPDATE space SET valid_points = ?, estimated = ? WHERE id = ?")
      .bind(valid_points, estimated, space)
      .run();
  transaction.commit();
}

Batch TuningLog::commit_batch(SessionId session, int number, const std::vector<Point>& points,
                              const std::string& origin) {
  Database& database = state_->database;
  Transaction transaction(database);
  const std::int64_t task = task_of_session(database, session).id;
  Batch batch;
  batch.number = number;
  Statement proposer = database.prepare("SELECT seed, strategy FROM session WHERE id = ?");
  proposer.bind(session).step();
  batch.seed = decode_seed(proposer.text(0));
  const std::string strategy = origin.empty() ? proposer.text(1) : origin;
  database
      .prepare(fmt::format("INSERT INTO batch(session_id, number, runner_session_id, committed_at) VALUES (?, ?, ?, {})"
                           " ON CONFLICT DO NOTHING",
                           kNow))
      .bind(session, number, session)
      .run();
  if (database.changed_rows() == 0) {
    throw LogError(fmt::format("session {} of database '{}' has a batch {} already", session, database.path(), number));
  }
  batch.id = database.last_insert_id();
  Statement insert = database.prepare(
      "INSERT INTO proposal(batch_id, position, space_id, config, knobs, origin) VALUES (?, ?, ?, ?, ?, ?)"
      " ON CONFLICT(space_id, config) DO NOTHING");
  for (int position = 0; position < static_cast<int>(points.size()); ++position) {
    const Point& point = points[position];
    const std::int64_t space = ensure_space(database, task, {point.template_name, point.version});
    insert.bind(batch.id, position, space, point.config.str(), to_json(point.config), strategy).run();
    if (database.changed_rows() == 0) continue;
    batch.points.push_back(point);
    batch.ids.push_back(database.last_insert_id());
  }
  transaction.commit();
  return batch;
}

std::optional<Batch> TuningLog::claim_unfinished_batch(SessionId session) {
  Database& database = state_->database;
  Transaction transaction(database);
  const std::int64_t task = task_of_session(database, session).id;
  mark_dead_sessions(database, state_->locks, task);
  Statement select = database.prepare(
      "SELECT batch.id, batch.number, proposer.seed FROM batch JOIN session AS proposer ON proposer.id = "
      "batch.session_id"
      " JOIN session AS runner ON runner.id = batch.runner_session_id"
      " WHERE proposer.task_id = ? AND runner.status <> ? AND batch.unmeasured > 0 AND EXISTS (SELECT 1 FROM proposal "
      "WHERE batch_id = batch.id"
      "  AND NOT EXISTS (SELECT 1 FROM trial WHERE proposal_id = proposal.id)) ORDER BY batch.id LIMIT 1");
  select.bind(task, kRunning);
  if (!select.step()) {
    transaction.commit();  // keeps the marks of dead sessions
    return std::nullopt;
  }
  Batch batch;
  batch.id = select.integer(0);
  batch.number = static_cast<int>(select.integer(1));
  batch.seed = decode_seed(select.text(2));
  database.prepare("UPDATE batch SET runner_session_id = ? WHERE id = ?").bind(session, batch.id).run();
  Statement rest = database.prepare(fmt::format(
      "SELECT proposal.id, {} FROM proposal JOIN space ON space.id = proposal.space_id"
      " WHERE batch_id = ? AND NOT EXISTS (SELECT 1 FROM trial WHERE proposal_id = proposal.id) ORDER BY position",
      kPointColumns));
  rest.bind(batch.id);
  while (rest.step()) {
    auto point = read_or_note(database, "proposal", rest.integer(0), [&] { return read_point(rest, 1); });
    if (!point) continue;
    batch.points.push_back(std::move(*point));
    batch.ids.push_back(rest.integer(0));
  }
  transaction.commit();
  return batch;
}

TrialId TuningLog::record(SessionId session, ProposalId proposal, const Measurement& measurement,
                          const TrialCode& code) {
  Database& database = state_->database;
  Transaction transaction(database);
  Statement runner = database.prepare(
      "SELECT batch.runner_session_id FROM proposal JOIN batch ON batch.id = proposal.batch_id WHERE proposal.id = ?");
  if (!runner.bind(proposal).step() || runner.integer(0) != session) {
    throw LogError(
        fmt::format("session {} of database '{}' does not work on proposal {}: commit or claim its batch first",
                    session, database.path(), proposal));
  }
  Statement insert = database.prepare(
      fmt::format("INSERT INTO trial(proposal_id, session_id, {}, compile_ms, check_ms, measure_ms, code,"
                  " same_as_trial_id, device_clock_mhz, device_temperature_c, resources, part_ratio, recorded_at)"
                  " VALUES ({}, {}) ON CONFLICT(proposal_id) DO NOTHING",
                  kMeasurementColumns, placeholders(2 + kMeasurementColumnCount + 9), kNow));
  insert.bind(proposal, session);
  // A copy is in the unit of the session that measured it.
  bind_measurement(insert, code.same_as == 0 ? measurement : measured_code(database, session, code));
  insert
      .add(measurement.compile_ms, measurement.check_ms, measurement.measure_ms,
           code.identity.empty() ? std::nullopt : std::optional(code.identity),
           code.same_as == 0 ? std::nullopt : std::optional(code.same_as), known(measurement.device_clock_mhz),
           known(measurement.device_temperature_c),
           measurement.resources.empty() ? std::nullopt : std::optional(encode_resources(measurement.resources)),
           known(measurement.timing.part_ratio))
      .run();
  if (database.changed_rows() == 0) {
    throw LogError(fmt::format("proposal {} of database '{}' has its trial already", proposal, database.path()));
  }
  const TrialId trial = database.last_insert_id();
  transaction.commit();
  return trial;
}

}  // namespace nestwright
