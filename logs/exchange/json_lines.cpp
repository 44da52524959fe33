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
      columns_[table.name] = exchanged_columns(database, table.name);
    }
  }

  void insert(const Json& line) {
    const auto name = line.find("table");
    const auto table =
        name != line.end() && name->is_string() ? columns_.find(name->get<std::string>()) : columns_.end();
    if (table == columns_.end()) refuse_part("has no 'table' that this nestwright knows");
    std::string names, places;
    std::vector<const ExchangedColumn*> columns;
    for (const auto& [field, value] : line.items()) {
      if (field == "table") continue;
      columns.push_back(&column_of(*table, field));
      names += (names.empty() ? "" : ", ") + field;
      places += places.empty() ? "?" : ", ?";
    }
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
  using Tables = std::map<std::string, std::vector<ExchangedColumn>>;

  static const ExchangedColumn& column_of(const Tables::value_type& table, const std::string& name) {
    for (const ExchangedColumn& column : table.second) {
      if (column.name == name) return column;
    }
    refuse_part(fmt::format("has a column '{}' that the table {} of this nestwright does not have", name, table.first));
  }

  sqlite::Database& database_;
  Tables columns_;
};

Json parsed(const std::string& line) {
  try {
    Json json = Json::parse(line);
    if (!json.is_object()) refuse_part("is no object");
    return json;
  } catch (const Json::exception&) {
    refuse_part("is not JSON in UTF-8, or has a number that is too large");
  }
}

void require_references(const sqlite::Database& database, const std::string& path) {
  sqlite::Statement broken = database.prepare("SELECT \"table\", rowid, parent FROM pragma_foreign_key_check LIMIT 1");
  if (!broken.bind().step()) return;
  throw UsageError(
      fmt::format("file '{}' has row {} of the table {} without the row of the table {} that it names:"
                  " export it again",
                  path, broken.integer(1), broken.text(0), broken.text(2)));
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
  require_references(database, path);
  transaction.commit();
}

std::int64_t count(const sqlite::Database& database, const char* table) {
  sqlite::Statement select = database.prepare(fmt::format("SELECT count(*) FROM {}", table));
  select.bind().step();
  return select.integer(0);
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
  ImportReport report;
  {
    sqlite::Database rows = open_log(imported, OpenMode::kWrite, options);
    read_rows(rows, request.file);
    report.trials = count(rows, "trial");
    report.sessions = count(rows, "session");
    std::error_code error;
    if (!std::filesystem::exists(database, error)) {
      // The rows keep their numbers.
      sqlite::copy_to_file(rows, database);
      return report;
    }
  }
  const MergeResult merged = merge_log(imported, database, options);
  report.known = report.trials - merged.trials;
  report.trials = merged.trials;
  report.sessions = merged.sessions;
  return report;
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
