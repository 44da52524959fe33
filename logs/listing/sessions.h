// The sessions of a database, each with counts of its trials and its fastest one. LogReader::sessions() lists them.
// Thread rule: pure functions; any number of them on one file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nestwright/records.h"

namespace nestwright {

namespace sqlite {
class Database;
}
class SessionLocks;

/// How many trials ended with an outcome.
struct OutcomeCount {
  Outcome outcome = Outcome::kOk;
  std::int64_t trials = 0;
};

/// A session of a listing, with what the database knows about it. Texts are those of the columns (logs/FORMAT.md), but
/// `options` of a session of another tuner, which has fields of its file, is "{}".
struct ListedSession {
  SessionId id = 0;
  TaskKey task;
  std::string seed, strategy, cost_model, options, status, reason, owner;
  /// Whether the process that works on it is alive. A session with the status "running" that is not held is one whose
  /// process died.
  bool is_held = false;
  ScoringRule rule = ScoringRule::kPaired;
  TrialId anchor = 0;     ///< 0: none
  double anchor_ns = 0;   ///< 0: none
  TrialId incumbent = 0;  ///< 0: none
  RecordProvenance made_by;
  double drift = 0;
  std::string funnel;                   ///< JSON; empty: not known
  std::string started_at, ended_at;     ///< UTC, ISO 8601; ended_at is empty if it has not ended
  std::optional<double> seconds;        ///< from its start to its end; absent if it has not ended
  std::int64_t trials = 0, timed = 0;   ///< that it measured last; how many of them have a time
  std::vector<OutcomeCount> not_timed;  ///< the outcomes of the others, by their numbers
  TrialId best = 0;                     ///< its fastest trial that may be best; 0: none
  double best_ns = 0;                   ///< in the session's unit
};

struct SessionFilter {
  TaskFilter tasks;
  SessionId session = 0;   ///< only this one; 0: any
  std::string since;       ///< only sessions that began then or later: UTC, ISO 8601, or the beginning of one
  std::int64_t limit = 0;  ///< only the latest of them; 0: all
};

struct SessionListing {
  std::vector<ListedSession> sessions;  ///< in the order in which they began
  std::int64_t matching = 0;            ///< sessions that match, those beyond the limit included
};

/// See LogReader::sessions(). Private to logs/.
SessionListing list_sessions(const sqlite::Database& database, const SessionLocks& locks, const SessionFilter& filter);

}  // namespace nestwright
