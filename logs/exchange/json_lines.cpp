#include "logs/exchange/json_lines.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <string>

#include "logs/exchange/files/input_file.h"
#include "logs/exchange/foreign.h"
#include "logs/exchange/row_json.h"
#include "logs/open_log.h"
#include "logs/schema.h"
#include "logs/sqlite/copy.h"
#include "logs/upkeep/existing_log.h"
#include "logs/upkeep/merge.h"
#include "nestwright/error.h"
#include "support/os/scratch_folder.h"

namespace nestwright {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "nestwright records";
constexpr int kVersion = 1;
/// The first version of the schema that had this format.
constexpr int kOldestSchema = 12;

int newest_schema() { return log_migrations().back().to_version; }

std::string list_of(const std::vector<StoredTask>& tasks) {
  Json ids = Json::array();
  for (const StoredTask& task : tasks) ids.push_back(task.id);
  return ids.dump();
}

void require_known_version(const Json& header) {
  if (!header.is_object() || !header.contains("format") || header["format"] != kFormat) {
    refuse_part(fmt::format("does not name the format \"{}\"", kFormat));
  }
  const Json version = header.value("version", Json()), schema = header.value("schema", Json());
  if (version != kVersion || !schema.is_number_integer() || schema < kOldestSchema || schema > newest_schema()) {
    refuse_part(fmt::format("has version {} and schema {}, but this nestwright reads version {} and schemas {} to {}",
                            version.dump(), schema.dump(), kVersion, kOldestSchema, newest_schema()));
  }
}

/// Inserts rows into an empty database.
class RowInserter {
 public:
  explicit RowInserter(sqlite::Database& database) : database_(database) {
    for (const ExchangedTable& table : exchanged_tables()) {
      tables_[table.name] = {tables_.size(), exchanged_columns(database, table.name)};
    }
  }

  void insert(const Json& line) {
    const auto name = line.find("table");
    const auto table = name != line.end() && name->is_string() ? tables_.find(name->get<std::string>()) : tables_.end();
    if (table == tables_.end()) refuse_part("has no 'table' that this nestwright knows");
    const auto& [place, known_columns] = table->second;
    // Triggers count rows when they are inserted, so those that they refer to must be there.
    if (place < last_) {
      refuse_part(fmt::format("has a row of the table {}, which must come before those of the table {}", table->first,
                              exchanged_tables()[last_].name));
    }
    last_ = place;
    std::string names, places;
    std::vector<const ExchangedColumn*> columns;
    for (const auto& [field, value] : line.items()) {
      if (field == "table") continue;
      columns.push_back(&column_of(table->first, known_columns, field));
      names += (names.empty() ? "" : ", ") + field;
      places += places.empty() ? "?" : ", ?";
    }
    if (columns.empty()) refuse_part(fmt::format("has no column of the table {}", table->first));
    sqlite::Statement statement =
        database_.prepare(fmt::format("INSERT INTO {}({}) VALUES ({})", table->first, names, places));
    statement.bind();
    for (const ExchangedColumn* column : columns) add_column(statement, *column, line[column->name]);
    try {
      statement.run();
    } catch (const sqlite::Failure& failure) {
      if (failure.primary_code() != SQLITE_CONSTRAINT) throw;
      refuse_part(fmt::format("contradicts the rows before it ({})", sqlite3_errmsg(database_.connection())));
    }
  }

 private:
  struct KnownTable {
    std::size_t place = 0;  ///< in exchanged_tables()
    std::vector<ExchangedColumn> columns;
  };

  static const ExchangedColumn& column_of(const std::string& table, const std::vector<ExchangedColumn>& columns,
                                          const std::string& name) {
    for (const ExchangedColumn& column : columns) {
      if (column.name == name) return column;
    }
    refuse_part(fmt::format("has a column '{}' that the table {} of this nestwright does not have", name, table));
  }

  sqlite::Database& database_;
  std::map<std::string, KnownTable> tables_;
  std::size_t last_ = 0;  ///< the place of the table of the last row
};

Json parsed(const std::string& line) {
  bool is_deep = false;
  Json json = parsed_json(line, kMaxDepth, &is_deep);
  if (is_deep) refuse_part(fmt::format("has more than {} lists and objects in each other", kMaxDepth));
  if (json.is_discarded()) refuse_part("is not JSON in UTF-8, or has a number that is too large");
  if (!json.is_object()) refuse_part("is not an object");
  return json;
}

void require_references_of_file(const sqlite::Database& database, const std::string& path) {
  const std::optional<LostReference> lost = lost_reference(database);
  if (!lost) return;
  throw UsageError(
      fmt::format("file '{}' has row {} of the table {} without the row of the table {} that it names:"
                  " export it again",
                  path, lost->row, lost->table, lost->parent));
}

/// Fills an empty database with the rows of the file.
void read_rows(sqlite::Database& database, const std::string& path) {
  sqlite::Transaction transaction(database);
  // A session names trials, which come later; all references are checked at the end.
  database.execute("PRAGMA defer_foreign_keys = ON");
  InputFile file(path);
  RowInserter inserter(database);
  std::int64_t number = 0, rows = 0;
  bool is_complete = false;
  while (const std::optional<std::string> line = file.line()) {
    ++number;
    try {
      if (is_complete) refuse_part("follows the last one");
      const Json json = parsed(*line);
      if (number == 1) {
        require_known_version(json);
      } else if (json.contains("rows")) {
        if (json["rows"] != rows)
          refuse_part(fmt::format("says that there are {} rows, not {}", json["rows"].dump(), rows));
        is_complete = true;
      } else {
        inserter.insert(json);
        ++rows;
      }
    } catch (const UsageError& e) {
      throw UsageError(fmt::format("line {} of file '{}' {}: export it again", number, path, e.what()));
    }
  }
  if (!is_complete) {
    throw UsageError(fmt::format("file '{}' has no last line with the number of rows: give a whole file", path));
  }
  require_references_of_file(database, path);
  transaction.commit();
}

std::int64_t count(const sqlite::Database& database, const char* table) {
  sqlite::Statement select = database.prepare(fmt::format("SELECT count(*) FROM {}", table));
  select.bind().step();
  return select.integer(0);
}

/// Throws UsageError if the two have the same workload from different sources.
void require_same_sources(const sqlite::Database& rows, const std::string& file, const std::string& to,
                          const OpenOptions& options) {
  const sqlite::Database database = open_log(to, OpenMode::kWrite, options);
  sqlite::Statement imported = rows.prepare("SELECT workload, source FROM workload");
  sqlite::Statement there = database.prepare("SELECT source FROM workload WHERE workload = ?");
  while (imported.step()) {
    if (!there.bind(imported.text(0)).step() || there.text(0) == imported.text(1)) continue;
    const auto source_name = [](const std::string& source) { return source.empty() ? "Nestwright" : source; };
    throw UsageError(
        fmt::format("file '{}' has records of {} from {}, but database '{}' has some from {}: give another file with"
                    " --db",
                    file, imported.text(0), source_name(imported.text(1)), to, source_name(there.text(0))));
  }
}

/// Imports the file into a database that does not exist, `imported`, and merges that one.
ImportReport import_by_way_of(const std::string& imported, const std::string& database, const std::string& file,
                              const OpenOptions& options) {
  ImportReport report;
  {
    sqlite::Database rows = open_log(imported, OpenMode::kWrite, options);
    read_rows(rows, file);
    report.trials = count(rows, "trial");
    report.sessions = count(rows, "session");
    std::error_code error;
    if (!std::filesystem::exists(database, error)) {
      // The rows keep their numbers.
      sqlite::copy_to_file(rows, real_file(database));
      return report;
    }
    require_same_sources(rows, file, database, options);
  }
  const MergeResult merged = merge_log(imported, database, options);
  report.known = report.trials - merged.trials - merged.replaced;
  report.trials = merged.trials;
  report.replaced = merged.replaced;
  report.sessions = merged.sessions;
  return report;
}

/// The message with `name` in the place of each `path`.
std::string with_name(std::string message, const std::string& path, const std::string& name) {
  for (std::size_t at = 0; (at = message.find(path, at)) != std::string::npos; at += name.size()) {
    message.replace(at, path.size(), name);
  }
  return message;
}

}  // namespace

bool recognises_json_lines(std::string_view head) {
  return head.substr(0, head.find('\n')).find(fmt::format("\"{}\"", kFormat)) != std::string_view::npos;
}

ImportReport import_json_lines(const std::string& database, const ImportRequest& request, const OpenOptions& options) {
  if (!request.kernel.empty() || !request.device.empty()) {
    throw UsageError(
        fmt::format("file '{}' names its workloads itself: drop the names of kernel and device", request.file));
  }
  const ScratchFolder scratch("nestwright-import");
  const std::string imported = scratch.path() + "/imported.db";
  try {
    return import_by_way_of(imported, database, request.file, options);
  } catch (const LogError& e) {
    throw LogError(with_name(e.what(), imported, request.file));
  }
}

ExportReport write_json_lines(const sqlite::Database& database, const std::vector<StoredTask>& tasks,
                              OutputFile& file) {
  const Json header = {{"format", kFormat}, {"version", kVersion}, {"schema", newest_schema()}};
  file.write(to_text(header) + "\n");
  const std::string ids = list_of(tasks);
  ExportReport report;
  std::int64_t rows = 0;
  for (const ExchangedTable& table : exchanged_tables()) {
    const std::vector<ExchangedColumn> columns = exchanged_columns(database, table.name);
    std::string names;
    for (const ExchangedColumn& column : columns) names += (names.empty() ? "" : ", ") + column.name;
    sqlite::Statement select = database.prepare(
        fmt::format("SELECT {} FROM {} WHERE {} ORDER BY {}", names, table.name, table.of_tasks, table.order));
    select.bind(ids);
    while (select.step()) {
      Json line = {{"table", table.name}};
      for (std::size_t i = 0; i < columns.size(); ++i) {
        line[columns[i].name] = column_to_json(select, static_cast<int>(i), columns[i]);
      }
      file.write(to_text(line) + "\n");
      ++rows;
      if (table.name == std::string_view("trial")) ++report.trials;
    }
  }
  file.write(to_text({{"rows", rows}}) + "\n");
  return report;
}

}  // namespace nestwright
