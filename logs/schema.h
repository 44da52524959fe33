// The tables, their version, and the migration from each version to the next. Private to logs/.
// Thread rule: as for the database.
#pragma once

#include <span>

#include "logs/sqlite/database.h"

namespace nestwright {

/// The application id in the file's header (PRAGMA application_id): "NWLG".
inline constexpr std::int64_t kLogApplicationId = 0x4E574C47;

/// Migrates a database from `to_version` - 1 to `to_version` (PRAGMA user_version).
struct Migration {
  int to_version;
  const char* sql;
};

/// Returns all steps, from an empty file on, in order. To change the schema, append one; never edit a released one.
std::span<const Migration> log_migrations();

/// Runs the missing steps in one transaction; another process may be doing the same. Throws LogError if the database is
/// newer than the last step.
void migrate(sqlite::Database& database, std::span<const Migration> steps);

/// Throws LogError if the schema is newer than `newest`.
void refuse_newer_schema(const sqlite::Database& database, int newest);

}  // namespace nestwright
