// Which sessions are being worked on. The process that works on one locks a byte of a file beside the database, at the
// session's number. The system frees the lock when the process ends, however it ends, and tells of it every process
// that has the file: also one in a container that cannot see the other's processes. Private to logs/. Thread rule: one
// thread at a time.
#pragma once

#include <set>
#include <string>

#include "logs/record.h"
#include "support/unique_fd.h"

namespace nestwright {

class SessionLocks {
 public:
  /// The file is the database's with "-sessions" behind its name; it is empty, made by the first session and removed by
  /// the last that is released.
  explicit SessionLocks(const std::string& database_path) : path_(database_path + "-sessions") {}

  /// Throws LogError where the file cannot be made or locked.
  void hold(SessionId session);
  void release(SessionId session);
  /// By this process or another one.
  bool is_held(SessionId session) const;
  /// Whether any process works on any session.
  bool is_any_held() const;

 private:
  /// Whether the file that is open is the one that others find.
  bool is_in_place() const;
  /// By others, from `session` on; `count` 0: all that come after it.
  bool is_locked(SessionId session, std::int64_t count) const;

  std::string path_;
  UniqueFd file_;
  std::set<SessionId> held_;  ///< here: one's own locks are no obstacle, and are not told
};

}  // namespace nestwright
