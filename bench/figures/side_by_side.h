// Configurations that were tuned in different runs, compiled by this build and timed side by side.
// Thread rule: one thread at a time.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/figures/kernels.h"
#include "bench/figures/tunings.h"

namespace nestwright::bench {

class SideBySide {
 public:
  explicit SideBySide(const Task& task);

  /// The time of each over that of the fastest of them; of equal configurations the same. Throws Error where one cannot
  /// be built here or is wrong.
  std::vector<double> ratios_to_fastest(const std::vector<TunedConfig>& configs);
  /// Over that of `reference`; 0 of one that cannot be built here or is wrong.
  std::vector<double> ratios_to(const TunedConfig& reference, const std::vector<TunedConfig>& configs);
  /// Races so far in which the machine stayed disturbed, and which count all the same.
  int disturbed_races() const { return disturbed_races_; }

 private:
  using Key = std::pair<std::string, std::string>;  // template and configuration

  /// nullptr where it cannot be built here or is wrong: why_ says why.
  const CompiledObject* object_of(const TunedConfig& config);
  std::vector<Timing> timings_of(const std::vector<const CompiledObject*>& objects);

  Task task_;
  std::unique_ptr<Runner> runner_;
  std::map<Key, std::unique_ptr<CompiledObject>> objects_;
  std::string why_;  ///< the last object could not be had
  int disturbed_races_ = 0;
};

}  // namespace nestwright::bench
