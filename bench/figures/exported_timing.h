// Times exported libraries in a fresh process, as a program that uses them would. Thread rule: one thread at a time.
// Unit: nanoseconds of one call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nestwright::bench {

struct ExportedLibrary {
  std::string library, function, workload;
};

enum class Gating : std::uint8_t {
  kGated,    ///< samples that the sentinels object to are taken again (measure/gated_sampler.h)
  kUngated,  ///< everything counts: what is timed beside a load is to be seen with the load
};

struct ExportedTiming {
  std::vector<double> samples_ns;  ///< in order, interleaved with those of the other libraries
  double fma_ns = 0;               ///< median of the FMA sentinel beside them; 0 where nothing gated
  std::string disturbance;         ///< of samples that could not be replaced; empty: none
  double walk_ns = 0;              ///< median of the memory sentinel; likewise
};

/// One a library, in order. `output` is a file for what the process says. Throws Error where the process fails.
std::vector<ExportedTiming> time_exported(const std::vector<ExportedLibrary>& libraries, Gating gating,
                                          const std::string& output);

}  // namespace nestwright::bench
