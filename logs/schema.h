// The tables, their version, and the steps from each version to the next. Private to logs/.
#pragma once

#include <span>

#include "logs/sqlite/database.h"

namespace nestwright {

/// In the file's header (PRAGMA application_id): "NWLG".
inline constexpr std::int64_t kLogApplicationId = 0x4E574C47;

/// Brings a database from `to_version` - 1 to `to_version` (PRAGMA user_version).
struct Migration {
  int to_version;
  const char* sql;
};

/// Every step from an empty file on, in order. To change the schema: append one; never edit one that was released.
std::span<const Migration> log_migrations();

/// Runs the steps that are missing, all in one transaction; another process may be doing the same. Throws LogError
/// where the database is newer than the last step.
void migrate(sqlite::Database& database, std::span<const Migration> steps);

/// Throws LogError where the schema is newer than `newest`.
void refuse_newer_schema(const sqlite::Database& database, int newest);

}  // namespace nestwright
