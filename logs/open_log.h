// Opens a log's file, and refuses any file that is not a usable log without touching it. Private to logs/.
// Thread rule: any thread.
#pragma once

#include <string>

#include "logs/sqlite/database.h"
#include "nestwright/database.h"

namespace nestwright {

/// The absolute path of the file that `path` names, with symbolic links resolved, as SQLite does: processes that open a
/// database by different names then share its write-ahead log and its session locks.
std::string real_file(const std::string& path);

/// The URI by which SQLite opens a file, with parameters such as "mode=ro".
std::string file_uri(const std::string& file, const std::string& parameters);

/// Whether the file begins as one of SQLite; false if it cannot be read.
bool is_sqlite_file(const std::string& path);

/// Throws LogError unless the file begins as one of SQLite, which must not even open any other file for writing.
void require_log_file(const std::string& path);

/// See TuningLog::open.
sqlite::Database open_log(const std::string& path, OpenMode mode, const OpenOptions& options);

}  // namespace nestwright
