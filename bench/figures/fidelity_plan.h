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
  kNotJudged,  ///< the machine was disturbed, or its sentinels not at what they were for the report
};
/// A time is reported for the clock and the memory that the machine had then, as the sentinels show them: it says
/// nothing of others, slower or faster by more than what the gate takes for undisturbed.
Fidelity fidelity_of(const TunedConfig& reported, const ExportedTiming& timing);

}  // namespace nestwright::bench
