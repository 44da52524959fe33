// What races of two kernels conclude, counted: of one kernel under two names, or of a kernel and a slower copy. Pure.
// Thread rule: values.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "measure/measurement.h"
#include "measure/timing.h"

namespace nestwright::bench {

struct PairedRace {
  MedianInterval ratio;        ///< of the second one's time to the first one's
  double time_half_width = 0;  ///< of the first one's interval, as a share of its time
  std::string disturbance;     ///< of either; empty: the race counts
};
PairedRace paired_race(const Timing& first, const Timing& second);

/// Of the second kernel, as a session would decide.
enum class Verdict : std::uint8_t { kDisturbed, kTied, kFaster, kSlower };
/// A race without a pair of samples is a disturbed one.
Verdict verdict_of(const PairedRace& race);

struct Tally {
  int races = 0, disturbed = 0, tied = 0, faster = 0, slower = 0;
  double ratio_half_width = 0;  ///< median of those races that count, as a share of the ratio
  double time_half_width = 0;   ///< likewise, of the first kernel's time

  int verdicts() const { return races - disturbed; }
};
Tally tally_of(std::span<const PairedRace> races);

/// 0 of nothing.
double share_of(int part, int whole);

}  // namespace nestwright::bench
