// Plans the tunings that show whether reported times agree with those of the exported kernels, and judges the results.
// Thread rule: pure functions. Unit: nanoseconds.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/figures/tunings/exported_timing.h"
#include "bench/figures/tunings/tuning.h"

namespace nestwright::bench {

/// `kernels` tunings of varied workloads, for one and two threads, with several seeds and caches in that
/// state; `loaded` of them, evenly spread,
/// under a load, alternating between its kinds. Throws UsageError where `loaded` exceeds `kernels`.
std::vector<Tuning> plan_fidelity(int kernels, int loaded, double seconds, CacheState caches = CacheState::kWarm);

enum class Fidelity : std::uint8_t {
  kMet,  ///< the median lies within the reported interval
  kMissed,
  kNotJudged,  ///< the machine was disturbed, or its sentinels differ from those of the report
};
/// A reported time applies to the clock and the memory speed at that time, as the sentinels measured them. It says
/// nothing about others, faster or slower by more than the gate's tolerance.
Fidelity fidelity_of(const TunedConfig& reported, const ExportedTiming& timing);

}  // namespace nestwright::bench
