// The tables of the database as lines of JSON: which rows, in which order, with which columns. Private to
// logs/exchange.
// Thread rule: as for the database.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "logs/sqlite/database.h"

namespace nestwright {

/// A table whose rows are exchanged.
struct ExchangedTable {
  const char* name;
  /// SQL that is true for the rows of the tasks that :tasks, a list in JSON, has.
  const char* of_tasks;
  const char* order;  ///< the columns by which rows are ordered
};

/// All tables but the names of outcomes and pipelines, each after those that it refers to. (A session refers to trials,
/// too, which come later.)
std::span<const ExchangedTable> exchanged_tables();

/// A column of a table.
struct ExchangedColumn {
  std::string name;
  enum class Type { kInteger, kReal, kText } type = Type::kText;
};

/// The columns of a table but those that triggers keep. Throws LogError.
std::vector<ExchangedColumn> exchanged_columns(const sqlite::Database& database, const std::string& table);

/// The value of a column: an infinite number is the text "Infinity" or "-Infinity"; a text that is a list or object in
/// JSON, as the JSON library writes it, is that list or object.
nlohmann::ordered_json column_to_json(const sqlite::Statement& row, int index, const ExchangedColumn& column);

/// Binds the value after those bound so far. Throws as refuse_part() does for a value of another type.
void add_column(sqlite::Statement& statement, const ExchangedColumn& column, const nlohmann::ordered_json& value);

}  // namespace nestwright
