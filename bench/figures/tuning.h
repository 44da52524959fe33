// One run of `nestwright tune` that a figure asks for, and what it gave. Pure. Thread rule: values.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "bench/figures/load_kind.h"

namespace nestwright::bench {

struct Tuning {
  std::string workload;
  int threads = 1;
  double seconds = 20;
  std::uint64_t seed = 1;
  LoadKind load = LoadKind::kNone;  ///< beside which it runs

  /// Of its entry and its files: "matmul-m49-n49-k32_2t_seed3".
  std::string name() const;
};

struct TunedConfig {
  std::string template_name, config;
  double median_ns = 0, low_ns = 0, high_ns = 0;  ///< as recorded
  double fma_ns = 0, walk_ns = 0;                 ///< medians of the sentinels beside its samples; 0: none were run
};

struct TunedKernel {
  TunedConfig winner;
  std::vector<TunedConfig> found;  ///< the fastest of its database by recorded time, best first
};

/// As `nestwright query --json` tells it, of one configuration.
TunedConfig tuned_config(const nlohmann::json& record);

}  // namespace nestwright::bench
