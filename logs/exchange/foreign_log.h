// Records what files of other tuners have: a task with WorkloadKey::source, whose session is the file. Private to
// logs/exchange.
// Thread rule: as for the database.
#pragma once

#include <cstdint>
#include <string>

#include "logs/exchange/foreign.h"
#include "logs/sqlite/database.h"
#include "nestwright/records.h"

namespace nestwright {

/// The task of a recorded space: "kernel_tuner:convolution problem_size=4096,4096" on "foreign,device=A100".
TaskKey foreign_task(const ForeignSpace& space);

/// A session that is written in one transaction: nothing is recorded without finish().
///
/// Its `options` are {"file": HEADER, "results": [REST, ...]}, with ForeignSpace::header and, for each of its
/// proposals by position, ForeignTrial::rest.
class ForeignSession {
 public:
  /// `content_hash` is that of the file. Throws LogError, and UsageError if the database has the workload from another
  /// source.
  ForeignSession(sqlite::Database& database, const ForeignSpace& space, std::uint64_t content_hash);
  /// Whether the same file was imported before: then it must not be written again.
  bool is_recorded() const { return is_recorded_; }
  /// Returns false, without adding it, for a configuration that another file of the task has. Throws UsageError, of
  /// which the caller adds the place, for one that this file has already.
  bool add(const ForeignTrial& trial);
  void finish();

 private:
  sqlite::Database& database_;
  sqlite::Transaction transaction_;
  std::int64_t space_ = 0, batch_ = 0;
  SessionId session_ = 0;
  int position_ = 0;
  bool is_recorded_ = false;
  KnobOrder order_;
  std::string header_, results_;
  std::string now_, first_, last_;  ///< when this began; the first and last time of a trial
};

}  // namespace nestwright
