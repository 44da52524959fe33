// Reads the trials of a database with plain SQL as logs/FORMAT.md documents it, independently of the code that wrote
// them. Thread rule: one thread at a time; other processes may write meanwhile.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nestwright::bench {

struct TrialRow {
  double recorded_s = 0;  ///< time of recording, in seconds since 1970
  double median_ns = 0;
  bool counts = false;   ///< ok, verified, neither ended early nor disturbed, and measured itself
  std::string contents;  ///< all recorded values as text, to detect changes
};

/// All trials by id. Empty where there is no database, or one without tables. Throws Error where it cannot be read.
std::map<std::int64_t, TrialRow> read_trials(const std::string& database);

/// The faults of the database, empty for none: from SQLite's integrity check, dangling references, and configurations
/// measured twice.
std::vector<std::string> damage(const std::string& database);

/// The number of committed proposals without a trial, except those of the latest session.
std::int64_t unfinished_proposals(const std::string& database);

}  // namespace nestwright::bench
