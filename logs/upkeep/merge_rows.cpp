#include "logs/upkeep/merge_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "logs/encode.h"
#include "logs/quality.h"
#include "logs/state.h"

namespace nestwright {
namespace {

using sqlite::Database;
using sqlite::Statement;

// For each table, temp.TABLE_map has the id in the main database (there) of each row of the attached one (here). Rows
// are added in their order, because the numbers of trials say in which order they were recorded.

/// Returns the columns of a table except some, as "a, b" or "prefix.a, prefix.b": those that a later version of the
/// schema adds are among them.
std::string columns_of(const Database& database, const char* table, const std::vector<std::string>& except,
                       const std::string& prefix = "") {
  Statement names = database.prepare("SELECT name FROM pragma_table_info(?, 'main')");
  names.bind(table);
  std::vector<std::string> columns;
  while (names.step()) {
    const std::string name = names.text(0);
    if (std::find(except.begin(), except.end(), name) == except.end()) columns.push_back(prefix + name);
  }
  return fmt::format("{}", fmt::join(columns, ", "));
}

/// Fills temp.TABLE_map from a query for the pairs of ids.
void make_map(Database& database, const char* table, const std::string& pairs) {
  database.execute(
      fmt::format("DROP TABLE IF EXISTS temp.{0}_map;"
                  "CREATE TABLE temp.{0}_map(here INTEGER PRIMARY KEY, there INTEGER NOT NULL);"
                  "INSERT INTO temp.{0}_map {1}",
                  table, pairs));
}

std::int64_t execute_and_count(Database& database, const std::string& sql) {
  database.execute(sql);
  return database.changed_rows();
}

/// Adds what identifies tasks. Returns the number of tasks that are added.
std::int64_t add_tasks(Database& database) {
  const std::string workload = columns_of(database, "workload", {"id"});
  database.execute(
      fmt::format("INSERT INTO main.workload({0}) SELECT {0} FROM source.workload WHERE true ORDER BY id"
                  " ON CONFLICT DO NOTHING",
                  workload));
  make_map(database, "workload",
           "SELECT s.id, m.id FROM source.workload AS s JOIN main.workload AS m ON m.workload = s.workload");
  const std::string target = columns_of(database, "target", {"id"});
  database.execute(
      fmt::format("INSERT INTO main.target({0}) SELECT {0} FROM source.target WHERE true ORDER BY id"
                  " ON CONFLICT DO NOTHING",
                  target));
  make_map(database, "target",
           "SELECT s.id, m.id FROM source.target AS s JOIN main.target AS m USING(target, machine, backend, threads)");
  const std::int64_t added = execute_and_count(
      database,
      "INSERT INTO main.task(workload_id, target_id, pipeline, cache, pages, prepacked)"
      " SELECT workload_map.there, target_map.there, pipeline, cache, pages, prepacked FROM source.task AS s"
      " JOIN workload_map ON workload_map.here = s.workload_id JOIN target_map ON target_map.here = s.target_id"
      " WHERE true ORDER BY s.id ON CONFLICT DO NOTHING");
  make_map(database, "task",
           "SELECT s.id, m.id FROM source.task AS s JOIN workload_map ON workload_map.here = s.workload_id"
           " JOIN target_map ON target_map.here = s.target_id"
           " JOIN main.task AS m ON m.workload_id = workload_map.there AND m.target_id = target_map.there"
           " AND m.pipeline = s.pipeline AND m.cache = s.cache AND m.pages = s.pages AND m.prepacked = s.prepacked");
  return added;
}

/// Adds spaces; a count of valid points replaces an estimate or none.
void add_spaces(Database& database) {
  database.execute(
      "INSERT INTO main.space(task_id, template, template_version, valid_points, estimated)"
      " SELECT task_map.there, template, template_version, valid_points, estimated FROM source.space AS s"
      " JOIN task_map ON task_map.here = s.task_id WHERE true ORDER BY s.id"
      " ON CONFLICT(task_id, template, template_version)"
      " DO UPDATE SET valid_points = excluded.valid_points, estimated = excluded.estimated"
      "  WHERE excluded.valid_points IS NOT NULL"
      "  AND (valid_points IS NULL OR (estimated AND NOT excluded.estimated))");
  make_map(database, "space",
           "SELECT s.id, m.id FROM source.space AS s JOIN task_map ON task_map.here = s.task_id"
           " JOIN main.space AS m ON m.task_id = task_map.there AND m.template = s.template"
           " AND m.template_version = s.template_version");
}

/// Fills temp.TABLE_map with the rows that have the same keys. `here` selects the id and the keys of rows of the
/// attached database, with those of the main one in the place of ids; `there` the same of the main database. Nothing
/// keeps keys unique: the first row of some keys here is the first one there, the second one the second one.
void make_map_by_keys(Database& database, const char* table, const std::string& keys, const std::string& here,
                      const std::string& there) {
  const auto numbered = [&](const std::string& rows) {
    return fmt::format("SELECT *, row_number() OVER (PARTITION BY {} ORDER BY id) AS place FROM ({})", keys, rows);
  };
  make_map(database, table,
           fmt::format("SELECT here.id, there.id FROM ({}) AS here JOIN ({}) AS there USING({}, place)", numbered(here),
                       numbered(there), keys));
}

void map_sessions(Database& database) {
  make_map_by_keys(database, "session", "task, seed, started_at, owner",
                   "SELECT s.id, task_map.there AS task, seed, started_at, owner FROM source.session AS s"
                   " JOIN task_map ON task_map.here = s.task_id",
                   "SELECT id, task_id AS task, seed, started_at, owner FROM main.session");
}

/// Finds the sessions of both databases of which the attached one has the later state: temp.newer_session. That is the
/// one with an end, else the one with more trials.
void find_newer_sessions(Database& database) {
  const auto state_in = [](const char* schema) {
    return fmt::format(
        "({0}_session.status NOT IN ('running', 'killed'),"
        " (SELECT count(*) FROM {0}.trial WHERE session_id = {0}_session.id),"
        " coalesce({0}_session.ended_at, ''), {0}_session.drift,"
        " coalesce((SELECT config FROM {0}.trial JOIN {0}.proposal ON proposal.id = trial.proposal_id"
        "  WHERE trial.id = {0}_session.incumbent_trial_id), ''))",
        schema);
  };
  database.execute(
      fmt::format("DROP TABLE IF EXISTS temp.newer_session;"
                  "CREATE TABLE temp.newer_session(here INTEGER PRIMARY KEY, there INTEGER NOT NULL);"
                  "INSERT INTO temp.newer_session SELECT session_map.here, session_map.there FROM session_map"
                  " JOIN source.session AS source_session ON source_session.id = session_map.here"
                  " JOIN main.session AS main_session ON main_session.id = session_map.there WHERE {} > {}",
                  state_in("source"), state_in("main")));
}

/// Adds sessions without the trials that they name. One that both databases have takes its later state.
std::int64_t add_sessions(Database& database) {
  map_sessions(database);
  find_newer_sessions(database);
  const std::string status = "iif(s.status = 'running', 'killed', s.status)";
  const std::string reason = "iif(s.status = 'running', 'its process died', s.reason)";
  const std::vector<std::string> changed{"id",       "task_id",           "status", "reason", "anchor_trial_id",
                                         "ended_at", "incumbent_trial_id"};
  database.execute(
      fmt::format("UPDATE main.session SET status = {}, reason = {},"
                  " ended_at = iif(s.status = 'running', coalesce(s.ended_at, main.session.ended_at, {}), s.ended_at),"
                  " drift = iif(s.drift > 0, s.drift, main.session.drift),"
                  " funnel = coalesce(s.funnel, main.session.funnel)"
                  " FROM source.session AS s JOIN temp.newer_session ON newer_session.here = s.id"
                  " WHERE newer_session.there = main.session.id",
                  status, reason, kNow));
  database.execute(
      "UPDATE main.session SET drift = iif(main.session.drift > 0, main.session.drift, s.drift),"
      " funnel = coalesce(main.session.funnel, s.funnel)"
      " FROM source.session AS s JOIN session_map ON session_map.here = s.id WHERE session_map.there = main.session.id"
      " AND (main.session.funnel IS NULL OR main.session.drift = 0)");
  const std::int64_t added = execute_and_count(
      database,
      fmt::format("INSERT INTO main.session(task_id, status, reason, ended_at, {0})"
                  " SELECT task_map.there, {2}, {3}, iif(s.status = 'running', coalesce(s.ended_at, {4}), s.ended_at),"
                  "  {1} FROM source.session AS s JOIN task_map ON task_map.here = s.task_id"
                  " WHERE s.id NOT IN (SELECT here FROM session_map) ORDER BY s.started_at, s.id",
                  columns_of(database, "session", changed), columns_of(database, "session", changed, "s."), status,
                  reason, kNow));
  map_sessions(database);
  return added;
}

void map_proposals(Database& database) {
  make_map(database, "proposal",
           "SELECT s.id, m.id FROM source.proposal AS s CROSS JOIN space_map ON space_map.here = s.space_id"
           " CROSS JOIN main.proposal AS m ON m.space_id = space_map.there AND m.config = s.config");
}

void add_batches_and_proposals(Database& database) {
  database.execute(
      "INSERT INTO main.batch(session_id, number, runner_session_id, committed_at)"
      " SELECT session_map.there, number, runner_map.there, committed_at FROM source.batch AS s"
      " JOIN session_map ON session_map.here = s.session_id"
      " JOIN session_map AS runner_map ON runner_map.here = s.runner_session_id"
      " WHERE true ORDER BY s.id ON CONFLICT(session_id, number) DO NOTHING");
  make_map(database, "batch",
           "SELECT s.id, m.id FROM source.batch AS s JOIN session_map ON session_map.here = s.session_id"
           " JOIN main.batch AS m ON m.session_id = session_map.there AND m.number = s.number");
  database.execute(
      "INSERT INTO main.proposal(batch_id, position, space_id, config, knobs, origin)"
      " SELECT batch_map.there, position, space_map.there, config, knobs, origin FROM source.proposal AS s"
      " CROSS JOIN batch_map ON batch_map.here = s.batch_id CROSS JOIN space_map ON space_map.here = s.space_id"
      " WHERE true ORDER BY s.id ON CONFLICT DO NOTHING");
  map_proposals(database);
  // Each of two copies of a killed session may have gone on: their batches then have other points at the same places.
  const std::int64_t moved = execute_and_count(
      database,
      "INSERT INTO main.proposal(batch_id, position, space_id, config, knobs, origin)"
      " SELECT batch_map.there, row_number() OVER (PARTITION BY s.batch_id ORDER BY s.id)"
      "  + max((SELECT max(position) FROM main.proposal AS m WHERE m.batch_id = batch_map.there),"
      "        (SELECT max(position) FROM source.proposal AS other WHERE other.batch_id = s.batch_id)),"
      " space_map.there, config, knobs, origin FROM source.proposal AS s"
      " CROSS JOIN batch_map ON batch_map.here = s.batch_id CROSS JOIN space_map ON space_map.here = s.space_id"
      " WHERE s.id NOT IN (SELECT here FROM proposal_map) ORDER BY s.id");
  if (moved > 0) map_proposals(database);
}

const std::vector<std::string> kTrialKeys{"id", "proposal_id", "session_id", "same_as_trial_id"};

/// Adds trials of points that the main database has none of; temp.rival has the others.
std::int64_t add_trials(Database& database) {
  database.execute(
      "DROP TABLE IF EXISTS temp.rival;"
      "CREATE TABLE temp.rival(here INTEGER PRIMARY KEY, there INTEGER NOT NULL);"
      "INSERT INTO temp.rival SELECT s.id, m.id FROM source.trial AS s"
      " CROSS JOIN proposal_map ON proposal_map.here = s.proposal_id"
      " CROSS JOIN main.trial AS m ON m.proposal_id = proposal_map.there");
  const std::int64_t added = execute_and_count(
      database,
      fmt::format("INSERT INTO main.trial(proposal_id, session_id, {0})"
                  " SELECT proposal_map.there, session_map.there, {1} FROM source.trial AS s"
                  " CROSS JOIN proposal_map ON proposal_map.here = s.proposal_id"
                  " CROSS JOIN session_map ON session_map.here = s.session_id"
                  " WHERE s.id NOT IN (SELECT here FROM temp.rival) ORDER BY s.id",
                  columns_of(database, "trial", kTrialKeys), columns_of(database, "trial", kTrialKeys, "s.")));
  make_map(database, "trial",
           "SELECT s.id, m.id FROM source.trial AS s CROSS JOIN proposal_map ON proposal_map.here = s.proposal_id"
           " CROSS JOIN main.trial AS m ON m.proposal_id = proposal_map.there");
  return added;
}

/// What both rivals are joined with: s and m, and their sessions.
constexpr const char* kRivals =
    " FROM temp.rival CROSS JOIN source.trial AS s ON s.id = rival.here CROSS JOIN main.trial AS m ON m.id = "
    "rival.there"
    " CROSS JOIN session_map ON session_map.here = s.session_id"
    " JOIN source.session AS s_session ON s_session.id = s.session_id"
    " JOIN main.session AS m_session ON m_session.id = m.session_id";

/// The time at which a rival (s or m) was measured, as the first values of a row of SQL. A session that measures a
/// trial again adds to measure_ms.
std::string rival_time(const std::string& rival) {
  return fmt::format("{0}_session.started_at, {0}_session.owner, {0}_session.seed, {0}.recorded_at, {0}.measure_ms",
                     rival);
}

/// A trial that was measured is better than a copy, and the later of two copies than the earlier one.
void choose_by_copies(Database& database) {
  database.execute(
      fmt::format("INSERT INTO temp.replacement SELECT rival.here, rival.there{}"
                  " WHERE s.same_as_trial_id IS NULL AND m.same_as_trial_id IS NOT NULL",
                  kRivals));
  const auto order = [](const std::string& rival, const std::string& schema) {
    return fmt::format(
        "({}, (SELECT config FROM {}.trial AS measured JOIN {}.proposal ON proposal.id = measured.proposal_id"
        "      WHERE measured.id = {}.same_as_trial_id))",
        rival_time(rival), schema, schema, rival);
  };
  database.execute(
      fmt::format("INSERT INTO temp.replacement SELECT rival.here, rival.there{}"
                  " WHERE s.same_as_trial_id IS NOT NULL AND m.same_as_trial_id IS NOT NULL AND {} > {}",
                  kRivals, order("s", "source"), order("m", "main")));
}

/// Of two measurements the sounder one is better, then the one with more samples, then the later one. Of equally late
/// ones, that is those of copies of one session, the slower one is: within a session, times are corrected upwards. The
/// rest of the row decides only so that it does not matter which database is merged into which.
void choose_by_measurements(Database& database) {
  const auto order = [&](const std::string& rival) {
    std::string values = fmt::format("({}, coalesce({}.median_ns, 0)", rival_time(rival), rival);
    Statement names = database.prepare("SELECT name FROM pragma_table_info('trial', 'main') ORDER BY name");
    while (names.step()) {
      const std::string name = names.text(0);
      const bool is_key = std::find(kTrialKeys.begin(), kTrialKeys.end(), name) != kTrialKeys.end();
      if (!is_key) values += fmt::format(", coalesce({}.{}, '')", rival, name);
    }
    return values + ")";
  };
  Statement rivals =
      database.prepare(fmt::format("SELECT rival.here, rival.there, {} > {}, {}, {}{} WHERE s.same_as_trial_id IS NULL "
                                   "AND m.same_as_trial_id IS NULL"
                                   " AND {} <> {}",
                                   order("s"), order("m"), measurement_columns("s", Readings::kScores),
                                   measurement_columns("m", Readings::kScores), kRivals, order("s"), order("m")));
  Statement choose = database.prepare("INSERT INTO temp.replacement VALUES (?, ?)");
  while (rivals.step()) {
    const auto quality_at = [&](int column) {
      const Measurement measurement = read_measurement(rivals, column);
      return std::pair(soundness_of(measurement), measurement.timing.samples_ns.size());
    };
    const auto here = quality_at(3), there = quality_at(3 + kMeasurementColumnCount);
    if (here > there || (here == there && rivals.integer(2) != 0)) {
      choose.bind(rivals.integer(0), rivals.integer(1)).run();
    }
  }
}

/// Finds the rivals that replace the trial of the main database: temp.replacement.
void choose_replacements(Database& database) {
  database.execute(
      "DROP TABLE IF EXISTS temp.replacement;"
      "CREATE TABLE temp.replacement(here INTEGER PRIMARY KEY, there INTEGER NOT NULL UNIQUE)");
  choose_by_copies(database);
  choose_by_measurements(database);
}

std::int64_t replace_trials(Database& database) {
  choose_replacements(database);
  return execute_and_count(
      database,
      fmt::format("UPDATE main.trial SET (session_id, same_as_trial_id, {0}) ="
                  " (SELECT session_map.there, NULL, {1} FROM temp.replacement"
                  "  JOIN source.trial AS s ON s.id = replacement.here"
                  "  JOIN session_map ON session_map.here = s.session_id WHERE replacement.there = main.trial.id)"
                  " WHERE id IN (SELECT there FROM temp.replacement)",
                  columns_of(database, "trial", kTrialKeys), columns_of(database, "trial", kTrialKeys, "s.")));
}

/// Trials that take the measurement of another one name it again, and take the measurement that it has now.
void link_copies(Database& database) {
  constexpr const char* kIsTaken =
      "(s.id NOT IN (SELECT here FROM temp.rival) OR s.id IN (SELECT here FROM temp.replacement))";
  database.execute(
      fmt::format("UPDATE main.trial SET same_as_trial_id = measured.there FROM source.trial AS s"
                  " JOIN trial_map ON trial_map.here = s.id JOIN trial_map AS measured"
                  "  ON measured.here = s.same_as_trial_id"
                  " WHERE trial_map.there = main.trial.id AND s.same_as_trial_id IS NOT NULL AND {}",
                  kIsTaken));
  database.execute(
      fmt::format("UPDATE main.trial SET ({0}, code) = (SELECT {1}, coalesce(measured.code, main.trial.code)"
                  " FROM main.trial AS measured WHERE measured.id = main.trial.same_as_trial_id)"
                  " WHERE same_as_trial_id IN (SELECT there FROM temp.replacement) OR id IN (SELECT trial_map.there"
                  "  FROM source.trial AS s JOIN trial_map ON trial_map.here = s.id"
                  "  WHERE s.same_as_trial_id IN (SELECT here FROM temp.rival) AND {2})",
                  remeasured_columns(), remeasured_columns("measured"), kIsTaken));
}

/// The anchors and incumbents of sessions, which are named when all trials are there.
void link_sessions(Database& database) {
  for (const char* column : {"anchor_trial_id", "incumbent_trial_id"}) {
    const bool is_anchor = column == std::string("anchor_trial_id");
    database.execute(
        fmt::format("UPDATE main.session SET {0} = trial_map.there{1} FROM source.session AS s"
                    " JOIN session_map ON session_map.here = s.id JOIN trial_map ON trial_map.here = s.{0}"
                    " WHERE session_map.there = main.session.id"
                    " AND (main.session.{0} IS NULL OR s.id IN (SELECT here FROM temp.newer_session))",
                    column, is_anchor ? ", anchor_ns = s.anchor_ns" : ""));
  }
}

void map_races(Database& database) {
  make_map_by_keys(database, "race", "task, session, recorded_at",
                   "SELECT s.id, task_map.there AS task, session_map.there AS session, recorded_at"
                   " FROM source.race AS s JOIN session_map ON session_map.here = s.session_id"
                   " JOIN task_map ON task_map.here = s.task_id",
                   "SELECT id, task_id AS task, session_id AS session, recorded_at FROM main.race");
}

std::int64_t add_races(Database& database) {
  map_races(database);
  const std::int64_t added = execute_and_count(
      database,
      "INSERT INTO main.race(session_id, task_id, pipeline, winner_trial_id, disturbance, recorded_at)"
      " SELECT session_map.there, task_map.there, pipeline, trial_map.there, disturbance, recorded_at"
      " FROM source.race AS s JOIN session_map ON session_map.here = s.session_id"
      " JOIN task_map ON task_map.here = s.task_id LEFT JOIN trial_map ON trial_map.here = s.winner_trial_id"
      " WHERE s.id NOT IN (SELECT here FROM race_map) ORDER BY s.recorded_at, s.id");
  map_races(database);
  const std::vector<std::string> keys{"id", "race_id", "trial_id"};
  database.execute(
      fmt::format("INSERT INTO main.race_entry(race_id, trial_id, {0})"
                  " SELECT race_map.there, trial_map.there, {1} FROM source.race_entry AS s"
                  " JOIN race_map ON race_map.here = s.race_id JOIN trial_map ON trial_map.here = s.trial_id"
                  " WHERE true ORDER BY s.id ON CONFLICT(race_id, trial_id) DO NOTHING",
                  columns_of(database, "race_entry", keys), columns_of(database, "race_entry", keys, "s.")));
  return added;
}

void raise_limits(Database& database) {
  database.execute(
      "INSERT INTO main.machine_limit SELECT * FROM source.machine_limit WHERE true"
      " ON CONFLICT(machine) DO UPDATE SET fma_gflops = max(fma_gflops, excluded.fma_gflops),"
      "  read_gb_s = max(read_gb_s, excluded.read_gb_s), recorded_at = max(recorded_at, excluded.recorded_at)"
      " WHERE excluded.fma_gflops > fma_gflops OR excluded.read_gb_s > read_gb_s");
}

/// A network is known by its conditions and its time.
void add_networks(Database& database) {
  const std::string columns = columns_of(database, "network", {"id"});
  database.execute(
      fmt::format("INSERT INTO main.network({0}) SELECT {0} FROM source.network WHERE true ORDER BY id"
                  " ON CONFLICT DO NOTHING",
                  columns));
}

}  // namespace

MergeResult merge_rows(Database& database) {
  MergeResult result;
  result.tasks = add_tasks(database);
  add_spaces(database);
  result.sessions = add_sessions(database);
  add_batches_and_proposals(database);
  result.trials = add_trials(database);
  result.replaced = replace_trials(database);
  link_copies(database);
  link_sessions(database);
  result.races = add_races(database);
  raise_limits(database);
  add_networks(database);
  return result;
}

}  // namespace nestwright
