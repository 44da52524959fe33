// Lists trials of a database, without the individual readings of their times.
// Thread rule: pure functions; any number of them on one file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nestwright/database.h"
#include "nestwright/records.h"

namespace nestwright {

/// A trial of a listing. Texts are those of the columns (logs/FORMAT.md).
struct ListedTrial {
  TrialId id = 0;
  SessionId session = 0;
  std::size_t task = 0;  ///< index into TrialListing::tasks
  TemplateVersion from;
  std::string config, origin;
  Outcome outcome = Outcome::kOk;
  std::string message;
  /// 0: not timed. In the unit of its session; of the session of `same_as` if it takes that trial's measurement.
  double median_ns = 0, low_ns = 0, high_ns = 0;
  bool verified = false, ended_early = false;
  double part_ratio = 0;  ///< 0: the whole kernel was timed
  std::string disturbance;
  std::optional<double> largest_error_ratio;
  double compile_ms = 0, check_ms = 0, measure_ms = 0;
  std::string code;     ///< empty: not known
  TrialId same_as = 0;  ///< 0: it was measured itself
  std::string recorded_at;
};

enum class TrialOrder : std::uint8_t {
  kNumber,  ///< as recorded
  kTime,    ///< fastest first, trials without a time last
};

struct TrialFilter {
  TaskFilter tasks;
  SessionId session = 0;             ///< 0: any
  std::optional<Outcome> outcome;    ///< absent: any
  std::string since;                 ///< recorded then or later: UTC, ISO 8601, or the beginning of one
  std::string from_template;         ///< the name of a template; empty: any
  std::vector<std::string> entries;  ///< "tile_i=4x2x14": all of them occur in the text of the configuration
  TrialOrder order = TrialOrder::kNumber;
  std::int64_t limit = 0;  ///< only the latest or the fastest of them; 0: all
};

struct TrialListing {
  std::vector<TaskKey> tasks;
  std::vector<ListedTrial> trials;
  bool is_cut = false;  ///< more trials match than the limit
};

/// Reads the database, which is not changed. Of a filter that names a workload or a session, the time depends on the
/// trials of the task or the session, not on all. Throws LogError as TuningLog::open() does.
TrialListing list_trials(const std::string& path, const TrialFilter& filter, const OpenOptions& options = {});

}  // namespace nestwright
