// Tunings by a nestwright executable, which may be of another build: uses only options that all builds understand.
// Thread rule: one thread at a time.
#pragma once

#include <string>
#include <vector>

#include "bench/figures/tunings/tuning.h"
#include "bench/figures/tunings/tuning_store.h"

namespace nestwright::bench {

class Tunings {
 public:
  /// Resumes `folder` where it has tunings by this executable for as many seconds each.
  Tunings(std::string executable, const std::string& folder, double seconds);

  /// The stored result of the tuning, or that of a new run with a database of its own. Throws Error where that fails.
  TunedKernel tune(const Tuning& tuning) const;
  /// The library exported from the database of a finished tuning. Throws Error.
  struct Exported {
    std::string library, function;
  };
  Exported export_library(const Tuning& tuning) const;
  const TuningStore& store() const { return store_; }

 private:
  nlohmann::json run(const Tuning& tuning, const std::string& suffix, std::vector<std::string> words) const;
  nlohmann::json query(const Tuning& tuning, const std::string& suffix, const std::vector<std::string>& options) const;

  std::string executable_;
  TuningStore store_;
};

/// The nestwright executable of this build, which lies beside this one.
std::string own_nestwright();

}  // namespace nestwright::bench
