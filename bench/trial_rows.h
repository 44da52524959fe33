// The trials of a database, read with plain SQL as logs/FORMAT.md documents it, and not with the code that wrote them.
// Thread rule: one thread at a time; other processes may write meanwhile.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nestwright::bench {

struct TrialRow {
  double recorded_s = 0;  ///< since 1970
  double median_ns = 0;
  bool counts = false;   ///< ok, verified and not ended early
  std::string contents;  ///< all that was recorded, to see whether it changed
};

/// By id. Empty where there is no database yet, or none with tables. Throws Error where it cannot be read.
std::map<std::int64_t, TrialRow> read_trials(const std::string& database);

/// What is wrong with it, empty where nothing is: SQLite's integrity check, references that point nowhere,
/// configurations measured twice.
std::vector<std::string> damage(const std::string& database);

/// Committed proposals without a trial that the latest session has not proposed itself.
std::int64_t unfinished_proposals(const std::string& database);

}  // namespace nestwright::bench
