// Times exported libraries in a fresh process, as a program that uses them would see them.
// Thread rule: one thread at a time. Unit: nanoseconds of one call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nestwright/target.h"

namespace nestwright::bench {

struct ExportedLibrary {
  std::string library, function, workload;
  CacheState caches = CacheState::kWarm;  ///< when a timed call begins
  int threads = 1;                        ///< of the kernel
};

enum class Gating : std::uint8_t {
  kGated,    ///< samples rejected by the sentinels are taken again (measure/race/gated_sampler.h)
  kUngated,  ///< every sample counts, for timing under a load
};

struct ExportedTiming {
  std::vector<double> samples_ns;  ///< in order, interleaved with those of the other libraries
  double fma_ns = 0;               ///< median of the FMA sentinel between them; 0 without gating
  std::string disturbance;         ///< of samples that could not be replaced; empty: none
  double walk_ns = 0;              ///< median of the memory sentinel, likewise
};

/// One timing for each library, in order. `output` is the file for the process's output. Throws Error where the process
/// fails.
std::vector<ExportedTiming> time_exported(const std::vector<ExportedLibrary>& libraries, Gating gating,
                                          const std::string& output);

}  // namespace nestwright::bench
