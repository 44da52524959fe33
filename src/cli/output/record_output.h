// Describes a best known configuration as text or JSON, for tune and query.
// Thread rule: pure functions, except print_json().
#pragma once

#include <optional>
#include <string>

#include "logs/quality.h"
#include "nestwright/database.h"
#include "nestwright/lookup.h"
#include "nestwright/workload.h"
#include "support/base/format_time.h"
#include "support/data/json.h"

namespace nestwright::cli {

/// Returns " --caches cold" for a task whose caches are not those that the commands have by default on its target; ""
/// for others.
std::string caches_arguments(const TaskKey& task);
std::string caches_arguments(const Task& task);

/// Returns the message of --exact for a best match that is `match` instead of exact.
std::string no_exact_match_text(const Task& task, MatchKind match);

/// Returns the message for a record, or none, of a quality below the required one; "" where it suffices.
std::string missing_quality(const std::optional<BestRecord>& best, const Task& task, Quality required);

/// Returns ", a hint until it is tuned again (the plugin ...)" for a hint_reason(), "" if it is empty.
std::string hint_text(const std::string& reason);
Json hint_json(const std::string& reason);  ///< null if it is empty

using nestwright::format_time;
std::string format_time(const Timing& timing);  ///< "1.234 ms [1.2 ms .. 1.25 ms]": median and interval

/// Returns several lines of text. `asked` is the requested workload; a nearest match was recorded for another one.
std::string record_text(const BestRecord& best, const Workload& asked);
/// Returns an object with the fields workload, target, caches, template, version, match, trial (its number),
/// recorded_for (nearest only), config, config_text, time_ns {median, low, high}, gflops, gb_s, bound_by ("memory",
/// "arithmetic"), verified, largest_error, largest_error_ratio, trials, machine, backend, recorded_at, source, quality
/// (logs/quality.h), disturbance (null if there was none), from_race (source is "race"), by_old_rule, hint (null if the
/// record is valid), made_by, tied, ties, kept, processes {timed, slow (those that were disturbed throughout),
/// slow_ratio (their median relative to the others)}, process_medians_ns, drift (BestRecord::drift).
Json record_json(const BestRecord& best, const Workload& asked);
/// The same for a record of a listing. `op` is its operator; null: this program does not have it.
Json listed_json(const BestRecord& best, const std::shared_ptr<const Operator>& op);

/// The same for a default configuration, which was never measured: time_ns and gflops are null.
std::string default_text(const Lookup& found, const Task& task);
Json default_json(const Lookup& found, const Task& task);

/// Prints to standard output, indented, with a newline at the end.
void print_json(const Json& json);

}  // namespace nestwright::cli
