#include "logs/exchange/row_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "logs/exchange/foreign.h"

namespace nestwright {
namespace {

using Json = nlohmann::ordered_json;

/// Kept by triggers: "table.column".
constexpr std::array<std::string_view, 3> kKeptByTriggers = {"task.trials", "task.spent_ms", "batch.unmeasured"};

constexpr const char* kInfinity = "Infinity";
constexpr const char* kMinusInfinity = "-Infinity";

Json real_to_json(double value) {
  if (std::isinf(value)) return value > 0 ? kInfinity : kMinusInfinity;
  return value;
}

/// A list or object in JSON that has the same text when it is written again, else the text itself.
Json text_to_json(const std::string& text) {
  if (text.empty() || (text[0] != '[' && text[0] != '{')) return text;
  Json parsed = parsed_json(text, kMaxDepth - 1);  // the line is an object, too
  const bool is_same = !parsed.is_discarded() && to_text(parsed) == text;
  return is_same ? parsed : Json(text);
}

[[noreturn]] void refuse_type(const ExchangedColumn& column, const char* type) {
  refuse_part(fmt::format("has a '{}' that is not {}", column.name, type));
}

double real_of(const ExchangedColumn& column, const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (value == kInfinity) return std::numeric_limits<double>::infinity();
  if (value == kMinusInfinity) return -std::numeric_limits<double>::infinity();
  refuse_type(column, "a number");
}

}  // namespace

std::span<const ExchangedTable> exchanged_tables() {
  static constexpr ExchangedTable kTables[] = {
      {"target", "id IN (SELECT target_id FROM task WHERE id IN (SELECT value FROM json_each(:tasks)))", "id"},
      {"workload", "id IN (SELECT workload_id FROM task WHERE id IN (SELECT value FROM json_each(:tasks)))", "id"},
      {"task", "id IN (SELECT value FROM json_each(:tasks))", "id"},
      {"space", "task_id IN (SELECT value FROM json_each(:tasks))", "id"},
      {"session", "task_id IN (SELECT value FROM json_each(:tasks))", "id"},
      {"batch", "session_id IN (SELECT id FROM session WHERE task_id IN (SELECT value FROM json_each(:tasks)))", "id"},
      {"proposal", "space_id IN (SELECT id FROM space WHERE task_id IN (SELECT value FROM json_each(:tasks)))", "id"},
      {"trial", "session_id IN (SELECT id FROM session WHERE task_id IN (SELECT value FROM json_each(:tasks)))", "id"},
      {"race", "task_id IN (SELECT value FROM json_each(:tasks))", "id"},
      {"race_entry", "race_id IN (SELECT id FROM race WHERE task_id IN (SELECT value FROM json_each(:tasks)))", "id"},
      // All of them if no task is left out: a machine whose tasks were deleted has limits, too.
      {"machine_limit",
       "(SELECT count(*) FROM task) = json_array_length(:tasks) OR EXISTS ("
       "SELECT 1 FROM task JOIN target ON target.id = task.target_id"
       " WHERE task.id IN (SELECT value FROM json_each(:tasks))"
       " AND machine_limit.machine = target.machine || substr(machine_limit.machine, length(target.machine) + 1)"
       " AND substr(machine_limit.machine, length(target.machine) + 1, 10) = '; threads ')",
       "machine"},
      // Likewise all of them: they belong to no task.
      {"network", "(SELECT count(*) FROM task) = json_array_length(:tasks)", "id"},
  };
  return kTables;
}

std::vector<ExchangedColumn> exchanged_columns(const sqlite::Database& database, const std::string& table) {
  using Type = ExchangedColumn::Type;
  sqlite::Statement select = database.prepare("SELECT name, type FROM pragma_table_info(?) ORDER BY cid");
  select.bind(table);
  std::vector<ExchangedColumn> columns;
  while (select.step()) {
    const std::string name = select.text(0), type = select.text(1);
    if (std::ranges::find(kKeptByTriggers, table + "." + name) != kKeptByTriggers.end()) continue;
    columns.push_back({name, type == "INTEGER" ? Type::kInteger : type == "REAL" ? Type::kReal : Type::kText});
  }
  return columns;
}

Json column_to_json(const sqlite::Statement& row, int index, const ExchangedColumn& column) {
  if (row.is_null(index)) return nullptr;
  switch (column.type) {
    case ExchangedColumn::Type::kInteger:
      return row.integer(index);
    case ExchangedColumn::Type::kReal:
      return real_to_json(row.real(index));
    case ExchangedColumn::Type::kText:
      return text_to_json(row.text(index));
  }
  return nullptr;
}

void add_column(sqlite::Statement& statement, const ExchangedColumn& column, const Json& value) {
  if (value.is_null()) {
    statement.add(std::optional<std::int64_t>());
    return;
  }
  switch (column.type) {
    case ExchangedColumn::Type::kInteger:
      if (!is_integer(value)) refuse_type(column, "an integer of 64 bits");
      statement.add(value.get<std::int64_t>());
      return;
    case ExchangedColumn::Type::kReal:
      statement.add(real_of(column, value));
      return;
    case ExchangedColumn::Type::kText:
      if (!value.is_string() && !value.is_structured()) refuse_type(column, "a text");
      statement.add(value.is_string() ? value.get<std::string>() : to_text(value));
      return;
  }
}

}  // namespace nestwright
