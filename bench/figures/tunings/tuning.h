// A run of `nestwright tune` for a figure, and its result. Thread rule: values and pure functions.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "bench/figures/machine/load_kind.h"
#include "nestwright/target.h"

namespace nestwright::bench {

struct Tuning {
  std::string workload;
  int threads = 1;
  double seconds = 20;
  std::uint64_t seed = 1;
  LoadKind load = LoadKind::kNone;  ///< during the run
  CacheState caches = CacheState::kWarm;

  /// Name of its entry and its files: "matmul-m49-n49-k32_2t_seed3".
  std::string name() const;
};

struct TunedConfig {
  std::string template_name, config;
  double median_ns = 0, low_ns = 0, high_ns = 0;  ///< as recorded
  double fma_ns = 0, walk_ns = 0;                 ///< medians of the sentinels between its samples; 0: none
};

struct TunedKernel {
  TunedConfig winner;
  std::vector<TunedConfig> found;  ///< the fastest configurations in its database by recorded time, best first
};

/// A configuration in the output of `nestwright query --json`.
TunedConfig tuned_config(const nlohmann::json& record);

}  // namespace nestwright::bench
