#include "logs/upkeep/existing_log.h"

#include <fmt/format.h>

#include "logs/open_log.h"
#include "logs/session_locks.h"
#include "logs/sqlite/copy.h"
#include "nestwright/error.h"

namespace nestwright {

using sqlite::Database;
using sqlite::Statement;

namespace {

Database open_for_dry_run(const std::string& path, const OpenOptions& options) {
  Database database = open_log(path, OpenMode::kRead, options);
  if (sqlite3_db_readonly(database.connection(), "main") == 1) database = sqlite::private_copy(database);
  database.execute("PRAGMA query_only = OFF");
  return database;
}

}  // namespace

Database open_existing_log(const std::string& path, bool is_dry, const OpenOptions& options) {
  // Reading refuses a file that does not exist.
  if (!is_dry) open_log(path, OpenMode::kRead, {.busy_timeout_ms = options.busy_timeout_ms});
  Database database = is_dry ? open_for_dry_run(path, options) : open_log(path, OpenMode::kWrite, options);
  database.execute("PRAGMA foreign_keys = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -262144");
  return database;
}

std::optional<LostReference> lost_reference(const Database& database) {
  Statement missing = database.prepare("PRAGMA foreign_key_check");
  if (!missing.step()) return std::nullopt;
  return LostReference{missing.text(0), missing.integer(1), missing.text(2)};
}

void require_references(const Database& database) {
  const std::optional<LostReference> lost = lost_reference(database);
  if (!lost) return;
  throw LogError(
      fmt::format("row {} of the table {} in database '{}' refers to a row of the table {} that does not exist: "
                  "nothing was changed; nestwright log repair writes a file without such rows",
                  lost->row, lost->table, database.path(), lost->parent));
}

void require_ended(const Database& database, const std::string& sessions, const std::string& path) {
  const SessionLocks locks(real_file(path));
  Statement running = database.prepare(fmt::format("SELECT id, status FROM {}", sessions));
  while (running.step()) {
    if (running.text(1) != session_status_name(SessionStatus::kRunning)) continue;
    if (!locks.is_held(running.integer(0))) continue;  // its process died
    throw LogError(
        fmt::format("session {} of database '{}' is running: try again when it has ended", running.integer(0), path));
  }
}

void select_tasks(Database& database, const TaskFilter& filter) {
  database.execute("CREATE TABLE temp.selected_task(id INTEGER PRIMARY KEY)");
  const std::vector<StoredTask> tasks = matching_tasks(database, filter);
  Statement insert = database.prepare("INSERT INTO temp.selected_task VALUES (?)");
  for (const StoredTask& task : tasks) insert.bind(task.id).run();
}

void shrink_file(Database& database) {
  if (4 * database.pragma("freelist_count") >= database.pragma("page_count")) database.execute("VACUUM");
}

}  // namespace nestwright
