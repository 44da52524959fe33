// Makes the rows of a repaired database refer to rows that exist. Private to logs/.
// Thread rule: as for the database.
#pragma once

#include <vector>

#include "logs/sqlite/database.h"
#include "logs/upkeep/repair.h"

namespace nestwright {

/// Makes lost sessions and batches again for their trials, drops all other rows that refer to a lost one, and counts
/// the trials of tasks and the points of batches. Adds to RepairedTable::restored and RepairedTable::dropped. Requires
/// the newest schema, with triggers off.
void complete_rows(sqlite::Database& database, std::vector<RepairedTable>& tables);

}  // namespace nestwright
