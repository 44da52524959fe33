#include "logs/task.h"

#include <fmt/format.h>

#include "logs/encode.h"
#include "logs/read_or_note.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

const std::string kSelectTask =
    "SELECT task.id, workload.workload, workload.op, workload.dtype, workload.parameters, workload.flops, "
    "target.target,"
    " target.threads, target.machine, target.backend, task.pipeline, task.cache, task.pages, task.prepacked,"
    " task.trials, task.spent_ms, workload.source"
    " FROM task JOIN workload ON workload.id = task.workload_id JOIN target ON target.id = task.target_id WHERE ";

StoredTask read_task(const sqlite::Statement& row) {
  StoredTask task;
  task.id = row.integer(0);
  task.key.workload = {row.text(1), row.text(2), row.text(3), decode_parameters(row.text(4)), row.real(5)};
  task.key.target = row.text(6);
  task.key.threads = static_cast<int>(row.integer(7));
  task.key.machine = row.text(8);
  task.key.backend = row.text(9);
  task.key.pipeline = static_cast<Pipeline>(row.integer(10));
  task.key.cache = row.text(11);
  task.key.pages = row.text(12);
  task.key.prepacked = row.text(13);
  task.totals = {row.integer(14), 1e-3 * row.real(15)};
  task.key.workload.source = row.text(16);
  return task;
}

std::int64_t id_from(sqlite::Statement& select) {
  check(select.step(), "a row that was just written is not there");
  return select.integer(0);
}

}  // namespace

TaskFilter filter_of(const TaskKey& task) {
  return {task.workload.text,
          task.workload.op,
          task.workload.dtype,
          task.target,
          task.machine,
          task.backend,
          task.cache,
          task.pages,
          task.prepacked,
          task.threads,
          !task.workload.source.empty()};
}

std::int64_t ensure_task(sqlite::Database& database, const TaskKey& task) {
  const WorkloadKey& workload = task.workload;
  database
      .prepare(
          "INSERT INTO workload(workload, op, dtype, parameters, flops, source) VALUES (?, ?, ?, ?, ?, ?)"
          " ON CONFLICT DO NOTHING")
      .bind(workload.text, workload.op, workload.dtype, encode_parameters(workload.parameters), workload.flops,
            workload.source)
      .run();
  database.prepare("INSERT INTO target(target, machine, backend, threads) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING")
      .bind(task.target, task.machine, task.backend, task.threads)
      .run();
  const std::int64_t workload_id =
      id_from(database.prepare("SELECT id FROM workload WHERE workload = ?").bind(workload.text));
  const std::int64_t target_id =
      id_from(database.prepare("SELECT id FROM target WHERE target = ? AND machine = ? AND backend = ? AND threads = ?")
                  .bind(task.target, task.machine, task.backend, task.threads));
  const int pipeline = static_cast<int>(task.pipeline);
  database
      .prepare(
          "INSERT INTO task(workload_id, target_id, pipeline, cache, pages, prepacked) VALUES (?, ?, ?, ?, ?, ?)"
          " ON CONFLICT DO NOTHING")
      .bind(workload_id, target_id, pipeline, task.cache, task.pages, task.prepacked)
      .run();
  return id_from(
      database
          .prepare("SELECT id FROM task WHERE workload_id = ? AND target_id = ? AND pipeline = ? AND cache = ?"
                   " AND pages = ? AND prepacked = ?")
          .bind(workload_id, target_id, pipeline, task.cache, task.pages, task.prepacked));
}

std::int64_t ensure_space(sqlite::Database& database, std::int64_t task, const TemplateVersion& from) {
  database.prepare("INSERT INTO space(task_id, template, template_version) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
      .bind(task, from.name, from.version)
      .run();
  return id_from(database.prepare("SELECT id FROM space WHERE task_id = ? AND template = ? AND template_version = ?")
                     .bind(task, from.name, from.version));
}

std::vector<StoredTask> matching_tasks(const sqlite::Database& database, const TaskFilter& filter) {
  // A workload is found by its index. Otherwise all tasks are scanned, which are few.
  static const std::string kOthers =
      " AND (?2 = '' OR workload.op = ?2) AND (?3 = '' OR workload.dtype = ?3)"
      " AND (?4 = '' OR target.target = ?4) AND (?5 = '' OR target.machine = ?5) AND (?6 = '' OR target.backend = ?6)"
      " AND (?7 = '' OR task.cache = ?7) AND (?8 = '' OR task.pages = ?8) AND (?9 = '' OR task.prepacked = ?9)"
      " AND (?10 = 0 OR target.threads = ?10) AND (?11 OR workload.source = '') ORDER BY workload.workload, task.id";
  static const std::string kOfWorkload = kSelectTask + "workload.workload = ?1" + kOthers;
  static const std::string kOfAny = kSelectTask + "?1 = ''" + kOthers;
  sqlite::Statement select = database.prepare(filter.workload.empty() ? kOfAny : kOfWorkload);
  select.bind(filter.workload, filter.op, filter.dtype, filter.target, filter.machine, filter.backend, filter.cache,
              filter.pages, filter.prepacked, filter.threads, filter.with_foreign ? 1 : 0);
  std::vector<StoredTask> tasks;
  while (select.step()) {
    auto task = read_or_note(database, "task", select.integer(0), [&] { return read_task(select); });
    if (task) tasks.push_back(std::move(*task));
  }
  return tasks;
}

std::optional<StoredTask> stored_task(const sqlite::Database& database, const TaskKey& task) {
  for (StoredTask& found : matching_tasks(database, filter_of(task))) {
    if (found.key.pipeline == task.pipeline) return std::move(found);
  }
  return std::nullopt;
}

StoredTask task_of_session(const sqlite::Database& database, SessionId session) {
  static const std::string kOfSession = kSelectTask + "task.id = (SELECT task_id FROM session WHERE session.id = ?)";
  sqlite::Statement select = database.prepare(kOfSession);
  select.bind(session);
  if (!select.step()) throw LogError(fmt::format("database '{}' has no session {}", database.path(), session));
  try {
    return read_task(select);
  } catch (const sqlite::Failure&) {
    throw;
  } catch (const std::exception& e) {
    throw LogError(
        fmt::format("the task of session {} in database '{}' cannot be read ({}): give another file with --db", session,
                    database.path(), e.what()));
  }
}

void require_trial_of_task(const sqlite::Database& database, TrialId trial, SessionId session) {
  const StoredTask task = task_of_session(database, session);
  sqlite::Statement select = database.prepare(
      "SELECT session.task_id FROM trial JOIN session ON session.id = trial.session_id WHERE trial.id = ?");
  if (!select.bind(trial).step() || select.integer(0) != task.id) {
    throw LogError(
        fmt::format("trial {} of database '{}' is not one of the task of session {}", trial, database.path(), session));
  }
}

}  // namespace nestwright
