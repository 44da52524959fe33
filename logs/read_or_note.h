// Reads rows that may be unreadable, because another program wrote to the database or its disk lost a bit. Private to
// logs/.
// Thread rule: as for the database.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <exception>
#include <optional>

#include "logs/sqlite/database.h"

namespace nestwright {

/// Returns the result of `read` for a row. If `read` throws, the failure is noted and the result is absent, so that the
/// work continues without the row. Failures of SQLite itself are rethrown.
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
