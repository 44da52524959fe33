// Copies of a whole database. Private to logs/.
#pragma once

#include <string>

#include "logs/sqlite/database.h"

namespace nestwright::sqlite {

/// What `from` holds at this moment, as a database of its own that nobody else sees and that goes with it. Messages
/// name the original.
Database private_copy(const Database& from);

/// The same in a new file, complete or not there at all: it has its name only at the end. One of that name is replaced.
void copy_to_file(const Database& from, const std::string& path);

}  // namespace nestwright::sqlite
