// Times configurations from different tuning runs side by side, compiled by this build.
// Thread rule: one thread at a time.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/figures/tunings/kernels.h"
#include "bench/figures/tunings/tunings.h"

namespace nestwright::bench {

class SideBySide {
 public:
  explicit SideBySide(const Task& task);

  /// The times of the configurations in one race. Equal configurations have one time. Throws Error where one cannot be
  /// built here or is wrong.
  std::vector<Timing> race(const std::vector<TunedConfig>& configs);
  /// The time of each configuration relative to the fastest one. Equal configurations have equal ratios. Throws Error
  /// where one cannot be built here or is wrong.
  std::vector<double> ratios_to_fastest(const std::vector<TunedConfig>& configs);
  /// The time of each configuration relative to `reference`; 0 for one that cannot be built here or is wrong.
  std::vector<double> ratios_to(const TunedConfig& reference, const std::vector<TunedConfig>& configs);
  /// The number of races so far in which the machine stayed disturbed; these count nevertheless.
  int disturbed_races() const { return disturbed_races_; }

 private:
  using Key = std::pair<std::string, std::string>;  // template and configuration

  /// nullptr where it cannot be built here or is wrong; sets why_.
  const CompiledObject* object_of(const TunedConfig& config);
  std::vector<Timing> timings_of(const std::vector<const CompiledObject*>& objects);

  Task task_;
  std::unique_ptr<Runner> runner_;
  std::map<Key, std::unique_ptr<CompiledObject>> objects_;
  std::string why_;  ///< why the last object could not be made
  int disturbed_races_ = 0;
};

}  // namespace nestwright::bench
