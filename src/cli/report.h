// How a best known configuration is shown, by tune and query alike.
// Thread rule: pure functions.
#pragma once

#include <string>

#include "logs/tuning_log.h"
#include "lookup/lookup.h"
#include "support/json.h"
#include "templates/framework/workload.h"

namespace nestwright::cli {

/// What --exact says where the answer would be another match.
std::string nothing_exact(const Task& task, MatchKind match);

/// 1.234 ms, 56.7 us: four digits and a unit.
std::string format_time(double ns);
std::string format_time(const Timing& timing);  ///< median with its interval

/// Several lines for people. `asked` is the workload that was asked for, which a nearest match is not recorded for.
std::string to_text(const BestRecord& best, const std::string& asked);
/// Fields: workload, target, template, version, match, recorded_for (nearest only), config, config_text, time_ns
/// {median, low, high}, gflops, gb_s, bound_by ("memory", "arithmetic"), verified, largest_error, largest_error_ratio,
/// trials, machine, backend, recorded_at, source, from_race (source is "race"), by_old_rule, hint (null where it
/// stands), made_by, tied, ties, kept, process_medians_ns.
Json to_json(const BestRecord& best, const std::string& asked);

/// The same for a configuration that was never measured: time_ns and gflops are null.
std::string default_to_text(const Lookup& found, const Task& task);
Json default_to_json(const Lookup& found, const Task& task);

/// To standard output, indented, with a newline.
void print_json(const Json& json);

}  // namespace nestwright::cli
