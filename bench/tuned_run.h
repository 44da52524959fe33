// One run of `nestwright tune` as a user does it, with an empty database, and what is seen of it from outside.
// Thread rule: one at a time.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "bench/tuning_run.h"

namespace nestwright::bench {

struct TunedRun {
  nlohmann::json report;           ///< what the run said with --json
  std::vector<TimedTrial> trials;  ///< as they lie in its database, in order
  double wall_seconds = 0;
};

/// `name` is that of its files beside this executable; `options` go to `nestwright tune` after the workload. Throws
/// Error where it fails.
TunedRun run_tuning(const std::string& name, const std::string& workload, const std::vector<std::string>& options);

}  // namespace nestwright::bench
