// Runs `nestwright tune` with an empty database, as a user does, and collects what can be observed from outside.
// Thread rule: one at a time.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "bench/support/timed_trials.h"

namespace nestwright::bench {

struct TunedRun {
  nlohmann::json report;           ///< its output with --json
  std::vector<TimedTrial> trials;  ///< from its database, in order
  double wall_seconds = 0;
};

/// Tunes `workload`. `name` names the files that it makes beside this executable; `options` follow the workload on the
/// command line. Throws Error where it fails.
TunedRun run_tuning(const std::string& name, const std::string& workload, const std::vector<std::string>& options);

}  // namespace nestwright::bench
