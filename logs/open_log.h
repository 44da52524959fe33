// Opens a log's file, and refuses any file that is not a usable log without touching it. Private to logs/.
// Thread rule: any thread.
#pragma once

#include <string>

#include "logs/sqlite/database.h"
#include "logs/tuning_log.h"

namespace nestwright {

/// See TuningLog::open.
sqlite::Database open_log(const std::string& path, OpenMode mode, const OpenOptions& options);

}  // namespace nestwright
