// Rescues what can be read of a damaged database into a new one.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nestwright/database.h"

namespace nestwright {

/// What became of the rows of a table.
struct RepairedTable {
  std::string name;
  bool is_found = true;  ///< whether the file says where the table is
  std::int64_t kept = 0;
  /// Numbers of rows at which the file could not be read, not all of which need have existed, and of rows that an index
  /// or another row names but that are not there.
  std::int64_t unreadable = 0;
  std::int64_t dropped = 0;   ///< rows that were read but break a rule of their table or depend on a row that is lost
  std::int64_t restored = 0;  ///< lost rows that were made again, without what only they had, because others need them
};

/// Writes all rows of the database `damaged` that can be read to the new file `out`, which appears when it is complete.
/// `damaged` is not changed, and may have an older schema. Rows that depend on one that is lost are dropped, except
/// that lost sessions and batches are made again for their trials: such a session has the reason kLostSession, and no
/// anchor, so its times are in a unit of their own.
///
/// Throws LogError if `out` exists, if `damaged` cannot be opened, is no log or has a newer schema, and if the part
/// of it that says where the tables are cannot be read at all.
std::vector<RepairedTable> repair_log(const std::string& damaged, const std::string& out,
                                      const OpenOptions& options = {});

inline constexpr const char* kLostSession = "its row was damaged, and was made again for its trials";

}  // namespace nestwright
