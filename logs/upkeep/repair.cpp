#include "logs/upkeep/repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "logs/open_log.h"
#include "logs/schema.h"
#include "logs/sqlite/copy.h"
#include "logs/upkeep/lost_rows.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

using sqlite::Database;
using sqlite::Statement;

/// All tables but those of names, which each schema has.
constexpr std::array kTables{"target",   "workload", "task", "space",      "session",      "batch",
                             "proposal", "trial",    "race", "race_entry", "machine_limit"};

struct IndexedTable {
  const char* name;
  const char* unique_columns;  ///< all that are required, but the number
};
constexpr std::array kIndexedTables{IndexedTable{"target", "target, machine, backend, threads"},
                                    IndexedTable{"task", "workload_id, target_id, pipeline, cache, pages, prepacked"},
                                    IndexedTable{"space", "task_id, template, template_version"}};

/// Numbers of rows that are copied at once, and that are tried beyond the last one that is found if the file does not
/// tell which is the last.
constexpr std::int64_t kChunk = 4096, kMaxGap = 8192;

/// SQLite then takes what it can read of the description of tables, instead of refusing the file.
constexpr const char* kIgnoreDamagedSchema = "PRAGMA writable_schema = ON";

std::vector<std::string> texts_of(const Database& database, const std::string& query) {
  Statement select = database.prepare(query);
  std::vector<std::string> texts;
  while (select.step()) texts.push_back(select.text(0));
  return texts;
}

/// Copies rows by their numbers, and goes on behind those that cannot be read.
class RowCopy {
 public:
  RowCopy(Database& database, const std::string& table, const std::string& columns)
      : database_(database),
        table_(table),
        insert_(
            database.prepare(fmt::format("INSERT OR IGNORE INTO main.{0}({1}) SELECT {1} FROM source.{0} NOT INDEXED"
                                         " WHERE rowid BETWEEN ? AND ?",
                                         table, columns))) {}

  /// Returns how many numbers could not be read.
  std::int64_t run() {
    const std::optional<std::int64_t> last = last_row();
    std::int64_t found = 0;  // the last number of the last chunk that had a row
    for (std::int64_t first = 1; first <= last.value_or(found + kMaxGap); first += kChunk) {
      const std::int64_t end = std::min(first + kChunk - 1, last.value_or(first + kChunk));
      copied_ = 0;
      copy(first, end);
      if (copied_ > 0) found = end;
    }
    return unreadable_;
  }

 private:
  void copy(std::int64_t first, std::int64_t last) {
    try {
      insert_.bind(first, last).run();
      copied_ += database_.changed_rows();
      return;
    } catch (const sqlite::Failure&) {
      if (first == last) {
        ++unreadable_;
        return;
      }
    }
    const std::int64_t middle = first + (last - first) / 2;
    copy(first, middle);
    copy(middle + 1, last);
  }

  /// The number of the last row, by the table or one of its indices; absent if none of them can be read for it.
  std::optional<std::int64_t> last_row() const {
    std::vector<std::string> ways{"NOT INDEXED"};
    for (const std::string& index : texts_of(
             database_, fmt::format("SELECT name FROM pragma_index_list('{}', 'main') WHERE NOT partial", table_))) {
      ways.push_back("INDEXED BY " + index);
    }
    for (const std::string& way : ways) {
      try {
        Statement last = database_.prepare(fmt::format("SELECT max(rowid) FROM source.{} {}", table_, way));
        if (last.step()) return last.integer(0);
      } catch (const sqlite::Failure&) {  // the next one
      }
    }
    return std::nullopt;
  }

  Database& database_;
  std::string table_;
  Statement insert_;
  std::int64_t copied_ = 0, unreadable_ = 0;
};

/// Copies lost rows of a table whose index of unique rows has all that they need: another page of the file. Returns how
/// many.
std::int64_t copy_from_index(Database& database, const std::string& table, const std::string& columns) {
  try {
    database.execute(
        fmt::format("INSERT OR IGNORE INTO main.{0}(id, {1}) SELECT rowid, {1} FROM source.{0}"
                    " INDEXED BY sqlite_autoindex_{0}_1",
                    table, columns));
    return database.changed_rows();
  } catch (const sqlite::Failure&) {
    return 0;
  }
}

/// The version of the schema of a damaged log.
std::int64_t version_of(const std::string& path, const std::string& uri, const OpenOptions& options) {
  Database probe(path, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, options.busy_timeout_ms);
  probe.execute(kIgnoreDamagedSchema);
  if (probe.pragma("application_id") != kLogApplicationId) {
    throw LogError(fmt::format("file '{}' is not a database of nestwright: name another one", path));
  }
  refuse_newer_schema(probe, log_migrations().back().to_version);
  return probe.pragma("user_version");
}

/// The columns of a table that both databases have.
std::string common_columns(const Database& database, const std::string& table) {
  std::string columns;
  for (const std::string& name :
       texts_of(database, fmt::format("SELECT name FROM pragma_table_info('{}', 'main') WHERE name IN"
                                      " (SELECT name FROM pragma_table_info('{}', 'source'))",
                                      table, table))) {
    columns += (columns.empty() ? "" : ", ") + name;
  }
  return columns;
}

std::int64_t row_count(const Database& database, const std::string& table) {
  Statement count = database.prepare(fmt::format("SELECT count(*) FROM main.{}", table));
  count.step();
  return count.integer(0);
}

std::vector<RepairedTable> copy_rows(Database& database, const std::string& damaged) {
  std::vector<RepairedTable> tables;
  const std::vector<std::string> known = texts_of(database, "SELECT name FROM main.sqlite_schema WHERE type = 'table'");
  for (const char* table : kTables) {
    if (std::find(known.begin(), known.end(), table) == known.end()) continue;  // an older schema
    const std::string columns = common_columns(database, table);
    RepairedTable copied{.name = table, .is_found = !columns.empty()};
    if (copied.is_found) copied.unreadable = RowCopy(database, table, columns).run();
    for (const IndexedTable& indexed : kIndexedTables) {
      if (copied.unreadable == 0 || copied.name != indexed.name) continue;
      copied.unreadable -= copy_from_index(database, table, indexed.unique_columns);
    }
    tables.push_back(copied);
  }
  if (std::none_of(tables.begin(), tables.end(), [](const RepairedTable& table) { return table.is_found; })) {
    throw LogError(fmt::format(
        "the part of database '{}' that says where its tables are cannot be read: restore a copy", damaged));
  }
  return tables;
}

}  // namespace

std::vector<RepairedTable> repair_log(const std::string& damaged, const std::string& out, const OpenOptions& options) {
  std::error_code ignored;
  if (std::filesystem::exists(out, ignored)) {
    throw LogError(fmt::format("file '{}' exists: name another one with --out", out));
  }
  if (!std::filesystem::exists(damaged, ignored)) {
    throw LogError(fmt::format("database '{}' does not exist: name another one", damaged));
  }
  require_log_file(damaged);
  const std::string uri = file_uri(real_file(damaged), "mode=ro");
  const std::int64_t version = version_of(damaged, uri, options);

  Database database(out, "", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, options.busy_timeout_ms);
  database.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -262144");
  migrate(database, log_migrations().first(static_cast<std::size_t>(version)));
  // Counts are made in the end.
  sqlite3_db_config(database.connection(), SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  database.execute(kIgnoreDamagedSchema);
  database.prepare("ATTACH ? AS source").bind(uri).run();
  std::vector<RepairedTable> tables = copy_rows(database, damaged);
  database.execute("DETACH source; PRAGMA writable_schema = OFF");
  migrate(database, log_migrations());
  complete_rows(database, tables);
  for (RepairedTable& table : tables) table.kept = row_count(database, table.name) - table.restored;
  sqlite::copy_to_file(database, real_file(out));
  return tables;
}

}  // namespace nestwright
