// Copies whole databases. Private to logs/.
// Thread rule: as for the database.
#pragma once

#include <string>

#include "logs/sqlite/database.h"

namespace nestwright::sqlite {

/// Copies the current contents of `from` to a private database that is deleted when it is closed. Messages name the
/// original.
Database private_copy(const Database& from);

/// Copies it to a new file, atomically: the file gets its name only when it is complete. Replaces an existing file.
void copy_to_file(const Database& from, const std::string& path);

}  // namespace nestwright::sqlite
