// Describes what became of revalidated bests, as a table or as JSON.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

#include "search/revalidation/revalidate.h"
#include "support/data/json.h"

namespace nestwright::cli {

/// A best with what became of it.
struct RevalidationRow {
  StoredBest best;
  RevalidatedBest result;
};

/// A run of `revalidate`.
struct RevalidationReport {
  std::vector<RevalidationRow> rows;
  std::vector<std::string> only_in_baseline;  ///< the tasks, as task_text() names them
  std::string machine;                        ///< fingerprint of this one
  std::string recorded_at;                    ///< UTC, ISO 8601: when it began
  double tolerance = 0, seconds = 0;
  bool has_baseline = false;
  bool is_interrupted = false;

  bool has_regressed() const;
  /// Whether every best that this machine can time has a verdict, and the baseline has no others.
  bool is_decided() const;
};

/// Returns the workload, the target and the caches of a best, as the command line takes them.
std::string task_text(const std::string& workload, const std::string& target, const std::string& caches);
/// The same of a best, with the target as this build names it.
std::string task_text(const StoredBest& best);

/// Returns one line: "as before", "wrong: C[0, 0] is 1, not 2; replaced by trial 8 of
/// matmul.cpu (1.2 ms)".
std::string verdict_text(const RevalidatedBest& result);
/// Returns a line of headings and one a best, under a line for each target, then the counts of the verdicts.
std::string revalidation_text(const RevalidationReport& report);

/// Returns an object with format, machine, recorded_at, tolerance, seconds, interrupted, regressed, decided, counts (by
/// verdict, and "replaced"), only_in_baseline, and a list of tasks: workload, target, caches, machine, backend, changes
/// (null if nothing changed), trial, template, version, config_text, verdict (verdict_name()), detail (null if there is
/// none), was and now (each null, or time_ns {median, low, high}, fma_ns, walk_ns, recorded_at), was_comparable (false:
/// a disturbance, an older rule or another machine made `was`), ratio (now by was; null if one is missing), fma_ratio
/// and walk_ratio (null if not known), replaced_by (null, or trial, template, version, config_text, time_ns), failure
/// (null if there was none), seconds.
Json revalidation_json(const RevalidationReport& report);

}  // namespace nestwright::cli
