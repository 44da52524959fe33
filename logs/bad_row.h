// Rows that cannot be read: somebody else's program wrote to the database, or its disk lost a bit. Private to logs/.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <exception>
#include <optional>

#include "logs/sqlite/database.h"

namespace nestwright {

/// Gives what `read` makes of a row. Gives nothing where `read` throws: that is noted, and the work goes on without the
/// row. A failure of SQLite itself is thrown on.
template <class Read>
auto read_or_note(const sqlite::Database& database, const char* table, std::int64_t id, const Read& read)
    -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const sqlite::Failure&) {
    throw;
  } catch (const std::exception& e) {
    database.note(fmt::format("row {} of the table {} in database '{}' cannot be read and is passed over: {}", id,
                              table, database.path(), e.what()));
    return std::nullopt;
  }
}

}  // namespace nestwright
