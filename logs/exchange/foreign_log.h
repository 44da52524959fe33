// Records what files of other tuners have: a task with WorkloadKey::source, whose session is the file. Private to
// logs/exchange.
// Thread rule: as for the database.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "logs/exchange/foreign.h"
#include "logs/sqlite/database.h"
#include "nestwright/records.h"

namespace nestwright {

/// The task of a recorded space: "kernel_tuner:convolution problem_size=4096,4096" on "foreign,device=A100".
TaskKey foreign_task(const ForeignSpace& space);

/// A session that is written in one transaction: nothing is recorded without finish().
///
/// Its `options` are {"file": HEADER, "results": {"0": REST, ...}}, with ForeignSpace::header and, for each of its
/// proposals by position, which is that in the file, ForeignTrial::rest.
class ForeignSession {
 public:
  /// `content_hash` is that of the file. Throws LogError, and UsageError if the database has the workload from another
  /// source.
  ForeignSession(sqlite::Database& database, const ForeignSpace& space, std::uint64_t content_hash);
  /// Whether the same file was not imported before.
  bool is_new() const { return is_new_; }
  /// Takes the trials of the file in their order. Returns false, without adding it, for a configuration that the
  /// database has. The configurations of a file must differ.
  bool add(const ForeignTrial& trial);
  void finish();

 private:
  sqlite::Database& database_;
  sqlite::Transaction transaction_;
  struct Place {
    ProposalId proposal = 0;
    std::int64_t position = -1;  ///< in the session; -1: it is a proposal of another file
  };

  void open_session(std::int64_t task, const std::string& source, const std::string& owner);
  /// Returns the place of a configuration that has no trial; absent: it has one.
  std::optional<Place> propose(const Config& config);
  /// Reads what the session keeps of earlier imports of the file.
  void load_kept();
  void add_trial(ProposalId proposal, const ForeignTrial& trial);
  void keep(std::int64_t position, std::string rest);

  std::int64_t space_ = 0, batch_ = 0;
  SessionId session_ = 0;
  std::int64_t position_ = -1;  ///< of the last trial in the file
  bool is_new_ = true;
  KnobOrder order_;
  std::string header_;
  std::map<std::int64_t, std::string> results_;  ///< the session's ForeignTrial::rest by position
  std::size_t bytes_ = 0;                        ///< of header_ and results_
  std::string now_, first_, last_;               ///< when this began; the first and last time of a trial
};

}  // namespace nestwright
