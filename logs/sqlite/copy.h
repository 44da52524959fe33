// Copies whole databases. Private to logs/.
// Thread rule: as for the database.
#pragma once

#include <string>

#include "logs/sqlite/database.h"

namespace nestwright::sqlite {

/// Copies the current contents of `from` to a private database that is deleted when it is closed. Messages name the
/// original.
Database private_copy(const Database& from);

/// Copies it to a new file, atomically: the file gets its name only when it is complete. Throws LogError if there is a
/// file of that name, even one that another process makes meanwhile, or a write-ahead log that an earlier file of that
/// name left, which SQLite would take for the new one's.
void copy_to_file(const Database& from, const std::string& path);

/// The same, but replaces an existing file, which no process may have open.
void replace_by_copy(const Database& from, const std::string& path);

}  // namespace nestwright::sqlite
