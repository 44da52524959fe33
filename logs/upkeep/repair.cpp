#include "logs/upkeep/repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <initializer_list>
#include <string_view>

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
constexpr std::array kTables{"target",   "workload", "task", "space",      "session",       "batch",
                             "proposal", "trial",    "race", "race_entry", "machine_limit", "network"};

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

/// Copies the rows of a table by their numbers, and goes on behind those that cannot be read.
class RowCopy {
 public:
  /// `columns` and `values` are lists of SQL: columns of the new table, and the values of a row of the damaged one.
  /// Numbers of rows above `bound` are not likely: what says that there is such a row may be damaged.
  RowCopy(Database& database, const std::string& table, const std::string& columns, const std::string& values,
          std::int64_t bound)
      : database_(database),
        table_(table),
        bound_(bound),
        insert_(
            database.prepare(fmt::format("INSERT OR IGNORE INTO main.{0}({1}) SELECT {2} FROM source.{0} NOT INDEXED"
                                         " WHERE rowid BETWEEN ? AND ?",
                                         table, columns, values))),
        count_(database.prepare(
            fmt::format("SELECT count(*) FROM source.{} NOT INDEXED WHERE rowid BETWEEN ? AND ?", table))) {
    for (const char* list : {"named_row", "unread_row", "refused_row"}) {
      database.execute(
          fmt::format("DROP TABLE IF EXISTS temp.{0}; CREATE TABLE temp.{0}(id INTEGER PRIMARY KEY)", list));
    }
  }

  void run() {
    const bool is_last_known = find_named_rows();
    const std::int64_t last =
        database_.integer(fmt::format("SELECT coalesce(max(id), 0) FROM temp.named_row WHERE id <= {}", bound_));
    std::int64_t found = 0;  // the last number of the last chunk that had a row
    for (std::int64_t first = 1; first <= std::max(last, found + kMaxGap);) {
      const std::int64_t end = first <= last ? std::min(first + kChunk - 1, last) : first + kChunk - 1;
      if (copy(first, end) > 0) found = end;
      first = end + 1;
    }
    if (is_last_known) {
      database_.execute(
          fmt::format("DELETE FROM temp.unread_row WHERE id > max({}, (SELECT coalesce(max(rowid), 0) FROM main.{}))",
                      last, table_));
    }
    copy_named_rows();
  }

  /// How many numbers could not be read. Those of rows that the new table has meanwhile do not count.
  std::int64_t unreadable() const {
    return database_.integer(
        fmt::format("SELECT count(*) FROM temp.unread_row WHERE id NOT IN (SELECT rowid FROM main.{})", table_));
  }
  /// How many rows were read but break a rule of the table.
  std::int64_t refused() const { return database_.integer("SELECT count(*) FROM temp.refused_row"); }

 private:
  /// Returns how many rows were copied.
  std::int64_t copy(std::int64_t first, std::int64_t last) {
    try {
      insert_.bind(first, last).run();
      const std::int64_t copied = database_.changed_rows();
      count_.bind(first, last).step();
      if (count_.integer(0) > copied) note_refused(first, last);
      return copied;
    } catch (const sqlite::Failure& failure) {
      if (first == last) {
        note(failure.primary_code() == SQLITE_CONSTRAINT ? "refused_row" : "unread_row", first);
        return 0;
      }
    }
    const std::int64_t middle = first + (last - first) / 2;
    const std::int64_t copied = copy(first, middle);
    return copied + copy(middle + 1, last);
  }

  void note(const char* list, std::int64_t row) {
    database_.prepare(fmt::format("INSERT OR IGNORE INTO temp.{} VALUES (?)", list)).bind(row).run();
  }
  void note_refused(std::int64_t first, std::int64_t last) {
    database_
        .prepare(fmt::format("INSERT OR IGNORE INTO temp.refused_row SELECT rowid FROM source.{0} NOT INDEXED"
                             " WHERE rowid BETWEEN ? AND ? AND rowid NOT IN (SELECT rowid FROM main.{0})",
                             table_))
        .bind(first, last)
        .run();
  }

  /// Fills temp.named_row with the numbers that the indices of the table and the rows of others name, and the last one
  /// of the table itself. Returns whether one of these sources of all numbers could be read to its end.
  bool find_named_rows() {
    bool is_complete = add_named(fmt::format("SELECT max(rowid) FROM source.{} NOT INDEXED", table_));
    for (const std::string& index : texts_of(
             database_, fmt::format("SELECT name FROM pragma_index_list('{}', 'main') WHERE NOT partial", table_))) {
      is_complete |= add_named(fmt::format("SELECT rowid FROM source.{} INDEXED BY {}", table_, index));
    }
    for (const std::string& select :
         texts_of(database_, fmt::format("SELECT format('SELECT %s FROM source.%s', reference.\"from\", other.name)"
                                         " FROM main.sqlite_schema AS other"
                                         " JOIN pragma_foreign_key_list(other.name, 'main') AS reference"
                                         " WHERE other.type = 'table' AND reference.\"table\" = '{}'",
                                         table_))) {
      add_named(select);
    }
    return is_complete;
  }
  /// Adds the numbers that a query returns, until it fails. Returns whether it did not.
  bool add_named(const std::string& query) {
    try {
      Statement select = database_.prepare(query);
      while (select.step()) {
        if (select.integer(0) > 0) note("named_row", select.integer(0));
      }
      return true;
    } catch (const sqlite::Failure&) {
      return false;
    }
  }

  /// Copies rows that are named but were not found in their order. Those that do not exist there are lost.
  void copy_named_rows() {
    std::vector<std::int64_t> missing;
    {
      Statement select =
          database_.prepare(fmt::format("SELECT id FROM temp.named_row WHERE id NOT IN (SELECT rowid FROM main.{})"
                                        " AND id NOT IN (SELECT id FROM temp.unread_row)"
                                        " AND id NOT IN (SELECT id FROM temp.refused_row)",
                                        table_));
      while (select.step()) missing.push_back(select.integer(0));
    }
    for (const std::int64_t row : missing) {
      if (copy(row, row) == 0 && row <= bound_) note("unread_row", row);
    }
  }

  Database& database_;
  std::string table_;
  std::int64_t bound_;
  Statement insert_, count_;
};

/// Copies lost rows of a table whose index of unique rows has all that they need: another page of the file.
void copy_from_index(Database& database, const std::string& table, const std::string& columns) {
  try {
    database.execute(
        fmt::format("INSERT OR IGNORE INTO main.{0}(id, {1}) SELECT rowid, {1} FROM source.{0}"
                    " INDEXED BY sqlite_autoindex_{0}_1",
                    table, columns));
  } catch (const sqlite::Failure&) {  // they are lost
  }
}

/// The version of the schema of a damaged log; the newest one if it does not say.
std::int64_t version_of(const std::string& path, const std::string& uri, const OpenOptions& options) {
  Database probe(path, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, options.busy_timeout_ms);
  probe.execute(kIgnoreDamagedSchema);
  if (probe.pragma("application_id") != kLogApplicationId) {
    throw LogError(fmt::format("file '{}' is not a database of nestwright: name another one", path));
  }
  const int newest = log_migrations().back().to_version;
  refuse_newer_schema(probe, newest);
  const std::int64_t version = probe.pragma("user_version");
  return version < 1 ? newest : version;
}

/// The columns of a table that both databases have, and how the new one gets them.
struct CommonColumns {
  std::string columns, values;  ///< lists of SQL; empty: the damaged database does not say that it has the table
};

/// The value of a column: a list of readings that is no JSON is left out, as if it had been pruned.
std::string value_of_column(const std::string& name) {
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const bool is_list =
      is_one_of({"samples_ns", "raw_ns", "reference_ns", "fma_ns", "bracket_ns", "walk_ns", "process_medians_ns"});
  if (!is_list && !is_one_of({"resources", "funnel"})) return name;
  return fmt::format("iif(typeof({0}) = 'text' AND json_valid({0}), {0}, {1})", name, is_list ? "'[]'" : "NULL");
}

CommonColumns common_columns(const Database& database, const std::string& table) {
  CommonColumns common;
  const auto add = [&](const std::string& column, const std::string& value) {
    const char* comma = common.columns.empty() ? "" : ", ";
    common.columns += comma + column;
    common.values += comma + value;
  };
  const std::vector<std::string> names =
      texts_of(database, fmt::format("SELECT name FROM pragma_table_info('{}', 'main') WHERE name IN"
                                     " (SELECT name FROM pragma_table_info('{}', 'source'))",
                                     table, table));
  // Rows keep their numbers.
  if (!names.empty() && std::find(names.begin(), names.end(), "id") == names.end()) add("rowid", "rowid");
  for (const std::string& name : names) add(name, value_of_column(name));
  return common;
}

std::vector<RepairedTable> copy_rows(Database& database, const std::string& damaged) {
  std::vector<RepairedTable> tables;
  const std::int64_t bound = database.pragma("source.page_count") * database.pragma("source.page_size");
  const std::vector<std::string> known = texts_of(database, "SELECT name FROM main.sqlite_schema WHERE type = 'table'");
  for (const char* table : kTables) {
    if (std::find(known.begin(), known.end(), table) == known.end()) continue;  // an older schema
    const auto [columns, values] = common_columns(database, table);
    RepairedTable& copied = tables.emplace_back(RepairedTable{.name = table, .is_found = !columns.empty()});
    if (!copied.is_found) continue;
    RowCopy rows(database, table, columns, values, bound);
    rows.run();
    for (const IndexedTable& indexed : kIndexedTables) {
      if (copied.name == indexed.name && rows.unreadable() > 0) {
        copy_from_index(database, table, indexed.unique_columns);
      }
    }
    copied.unreadable = rows.unreadable();
    copied.dropped = rows.refused();
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
  database.execute(
      "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -262144; PRAGMA temp_store = "
      "MEMORY");
  migrate(database, log_migrations().first(static_cast<std::size_t>(version)));
  // Counts are made in the end.
  sqlite3_db_config(database.connection(), SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  database.execute(kIgnoreDamagedSchema);
  database.prepare("ATTACH ? AS source").bind(uri).run();
  std::vector<RepairedTable> tables = copy_rows(database, damaged);
  database.execute("DETACH source; PRAGMA writable_schema = OFF");
  migrate(database, log_migrations());
  complete_rows(database, tables);
  for (RepairedTable& table : tables)
    table.kept = database.integer(fmt::format("SELECT count(*) FROM main.{}", table.name)) - table.restored;
  sqlite::copy_to_file(database, real_file(out));
  return tables;
}

}  // namespace nestwright
