// Says what is tuned to find whether a tuning reports the time that its exported kernel then takes, and judges it.
// Pure. Thread rule: values. Unit: nanoseconds.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/figures/exported_timing.h"
#include "bench/figures/tuning.h"

namespace nestwright::bench {

/// So many tunings of varied workloads, for one and two threads, with several seeds; `loaded` of them, spread over all,
/// beside a load, of one kind and the other in turns. Throws UsageError where more are to be loaded than there are.
std::vector<Tuning> plan_fidelity(int kernels, int loaded, double seconds);

enum class Fidelity : std::uint8_t {
  kMet,  ///< the median lies within the reported interval
  kMissed,
  kNotJudged,  ///< the machine was disturbed, or its clock slower than its norm
};
/// `norm_fma_ns`: the FMA sentinel of an undisturbed process.
Fidelity fidelity_of(const TunedConfig& reported, const ExportedTiming& timing, double norm_fma_ns);

}  // namespace nestwright::bench
