// Describes what the trials of a task say (findings/), as text or JSON, for explain.
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "findings/comparable_times.h"
#include "findings/failures.h"
#include "findings/funnel.h"
#include "findings/time_bound.h"
#include "findings/value_table.h"
#include "nestwright/lookup.h"
#include "support/data/json.h"

namespace nestwright::cli {

/// What the processor did in a call of the best.
struct CallCounts {
  double cycles = 0, instructions = 0, cache_misses = 0;  ///< per call, of all threads
  double ns = 0;                                          ///< per call, while they were counted
};

/// What bounds the time of the best, and how that is known.
struct BestBound {
  TimeBound bound;
  KernelWork work;
  RooflineRates rates;
  std::string level;                 ///< what the bandwidth is of: "L1", "a working set of this size"
  std::optional<CallCounts> counts;  ///< absent: not counted
  std::string why_not_counted;       ///< empty: it was counted, or not asked for
  bool is_time_of_run = false;       ///< whether bound.time_ns was taken beside the rates, and is not the recorded one
};

/// Everything that explain prints.
struct Explanation {
  TaskContext context;
  std::string given;                    ///< CommonOptions::given_line()
  TaskKey recorded;                     ///< the task whose trials they are, perhaps of another machine or compiler
  MatchKind match = MatchKind::kExact;  ///< kOtherMachine: `recorded` is of one
  TrialColumns trials;
  std::vector<ListedSession> sessions;
  Funnel funnel;
  std::vector<FailureCause> causes;
  ComparableTimes times;
  std::vector<TemplateValues> values;
  std::optional<BestRecord> best;
  std::optional<BestBound> bound;
};

std::string explanation_text(const Explanation& explanation);
/// An object with the fields workload, target, caches, match (match_name()), machine, backend, funnel (valid,
/// valid_is_estimate, sampled, ranked, not_lowered, proposed, tried, built, right, timed, confirmed, raced, same_code;
/// null: not known), sessions (each session, status, reason, funnel), failures (each outcome, message, trials, trial,
/// template, config_text, command), values (each template, version, knob, value, status, only_with, trials, outcomes,
/// best_ns, is_rough, best_trial, sampled, ranked, not_lowered, expected_samples, excluded_by, scopes), best
/// (record_json()) and bound (by, time_ns, flops, bytes, rates, the parts of the time, possible_speedup,
/// is_time_of_run, counters, why_not_counted).
Json explanation_json(const Explanation& explanation);

/// What became of one value, a line for each template that has the knob: "matmul.cpu: tried 12 times ...".
std::string why_text(const Explanation& explanation, const ConfigEntry& asked);
/// The entries of `values` for it.
Json why_json(const Explanation& explanation, const ConfigEntry& asked);

}  // namespace nestwright::cli
