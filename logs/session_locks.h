// Tracks which sessions are being worked on. The process that works on a session locks the byte with the session's
// number in a file beside the database. The system frees the lock when the process ends, for whatever reason, and shows
// it to every process that opens the file, even from a container that cannot see the other's processes. Private to
// logs/.
// Thread rule: one thread at a time.
#pragma once

#include <set>
#include <string>

#include "nestwright/records.h"
#include "support/os/unique_fd.h"

namespace nestwright {

class SessionLocks {
 public:
  /// The file's name is the database's with "-sessions" appended. It is empty, created by the first session and removed
  /// when the last one is released.
  explicit SessionLocks(const std::string& database_path) : path_(database_path + "-sessions") {}

  /// Locks a session. Throws LogError if the file cannot be created or locked.
  void hold(SessionId session);
  void release(SessionId session);
  /// Whether this process or another one holds the session.
  bool is_held(SessionId session) const;
  /// Whether any process holds any session.
  bool is_any_held() const;

 private:
  /// Locks the session and those that are held, in the open file. Returns whether that succeeded; else errno says why.
  bool lock_all(SessionId session);
  /// Whether the open file is still the one at the path.
  bool is_in_place() const;
  /// Whether any process, this one included, holds one of `count` sessions from `session` on; 0 means all from it on.
  bool is_locked(SessionId session, std::int64_t count) const;

  std::string path_;
  UniqueFd file_;
  std::set<SessionId> held_;  ///< by this object
};

}  // namespace nestwright
