// The files of a tuning log (logs/FORMAT.md). Thread rule: a pure function but for the files.
#pragma once

#include <filesystem>
#include <string>

namespace nestwright::bench {

/// Removes the database and what SQLite and sessions keep beside it, as far as they are there.
inline void remove_database(const std::string& path) {
  for (const char* suffix : {"", "-wal", "-shm", "-sessions"}) std::filesystem::remove(path + suffix);
}

}  // namespace nestwright::bench
