// Copies the rows of an attached log that the main one lacks. Private to logs/.
// Thread rule: as for the database.
#pragma once

#include "logs/sqlite/database.h"
#include "logs/upkeep/merge.h"

namespace nestwright {

/// See merge_log(). Requires an AttachedLog and a transaction.
MergeResult merge_rows(sqlite::Database& database);

}  // namespace nestwright
