// Opens a log's file and refuses, without touching it, whatever is not a usable log. Private to logs/.
#pragma once

#include <string>

#include "logs/sqlite/database.h"
#include "logs/tuning_log.h"

namespace nestwright {

/// See TuningLog::open.
sqlite::Database open_log(const std::string& path, OpenMode mode, const OpenOptions& options);

}  // namespace nestwright
