// The files of a tuning log (logs/FORMAT.md). Thread rule: any thread; the files are shared.
#pragma once

#include <filesystem>
#include <string>

namespace nestwright::bench {

/// Removes the database and the files that SQLite and sessions keep beside it, where they exist.
inline void remove_database(const std::string& path) {
  for (const char* suffix : {"", "-wal", "-shm", "-sessions"}) std::filesystem::remove(path + suffix);
}

}  // namespace nestwright::bench
