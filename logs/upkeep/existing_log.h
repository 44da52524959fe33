// Opens an existing log in order to change many of its rows at once. Private to logs/.
// Thread rule: as for the database.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "logs/sqlite/database.h"
#include "logs/task.h"
#include "nestwright/database.h"

namespace nestwright {

/// Opens a log for writing. SQLite does not check references between rows row by row, which would take a scan of a
/// table for each: call require_references() before the transaction is committed. With `is_dry`, for a transaction that
/// is never committed: nothing migrates the file, and the log may be a private copy of it. Throws LogError as
/// TuningLog::open() does, and if there is no such file.
sqlite::Database open_existing_log(const std::string& path, bool is_dry, const OpenOptions& options);

/// A row that refers to one that does not exist.
struct LostReference {
  std::string table;
  std::int64_t row = 0;
  std::string parent;  ///< the table of the row that it refers to
};

/// The first one; absent: there is none.
std::optional<LostReference> lost_reference(const sqlite::Database& database);

/// Throws LogError if there is one.
void require_references(const sqlite::Database& database);

/// Throws LogError if a process works on one of `sessions` of the database at `path`: SQL for rows of its table, such
/// as "source.session" or "session WHERE id = 3". Requires a transaction, in which no session can begin or end.
void require_ended(const sqlite::Database& database, const std::string& sessions, const std::string& path);

/// Fills temp.selected_task (column id) with the tasks that match.
void select_tasks(sqlite::Database& database, const TaskFilter& filter);

/// Gives free pages back to the file system if they are a quarter of the file or more.
void shrink_file(sqlite::Database& database);

}  // namespace nestwright
