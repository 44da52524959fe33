// The private state of a TuningLog. Private to logs/.
// Thread rule: as for TuningLog.
#pragma once

#include "logs/session_locks.h"
#include "logs/sqlite/database.h"
#include "nestwright/database.h"

namespace nestwright {

struct TuningLog::State {
  sqlite::Database database;
  SessionLocks locks;
};

/// SQL for the current time in UTC, ISO 8601 with milliseconds.
inline constexpr const char* kNow = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";

}  // namespace nestwright
