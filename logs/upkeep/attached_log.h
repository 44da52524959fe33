// Attaches a second log to a connection, so that one statement reads both. Private to logs/.
// Thread rule: as for the database.
#pragma once

#include <string>

#include "logs/sqlite/database.h"
#include "nestwright/database.h"

namespace nestwright {

/// The tables of another log as `source.trial` and so on, from the construction to the destruction. Both need to be
/// outside of a transaction.
class AttachedLog {
 public:
  /// Attaches the log at `path`, which is not changed. If its schema is older, or if it is in a folder in which nothing
  /// can be written, a migrated copy takes its place. Throws LogError as TuningLog::open() does.
  AttachedLog(sqlite::Database& to, const std::string& path, const OpenOptions& options);
  AttachedLog(const AttachedLog&) = delete;
  AttachedLog& operator=(const AttachedLog&) = delete;
  ~AttachedLog();

 private:
  bool attach(const std::string& file);

  sqlite::Database& to_;
};

}  // namespace nestwright
