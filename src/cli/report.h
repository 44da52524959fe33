// How a best known configuration is shown, by tune and query alike.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

#include "logs/tuning_log.h"
#include "lookup/lookup.h"
#include "templates/workload.h"

namespace nestwright::cli {

/// 1.234 ms, 56.7 us: three or four digits and a unit.
std::string format_time(double ns);
std::string format_time(const Timing& timing);  ///< median with its interval

/// Several lines for people.
std::string to_text(const BestRecord& best, const Workload& asked);
/// Fields: workload, target, template, version, match, config, time_ns {median, low, high}, gflops, verified, largest_error_ratio,
/// trials, machine, backend, recorded_at, tied, from_race.
nlohmann::json to_json(const BestRecord& best, const Workload& asked);

/// The same for a configuration that was never measured.
std::string default_to_text(const Lookup& found, const Task& task);
nlohmann::json default_to_json(const Lookup& found, const Task& task);

}  // namespace nestwright::cli
