// Counts the conclusions of races of two kernels: one kernel under two names, or a kernel and a slower copy.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "measure/race/timing.h"
#include "nestwright/measurement.h"

namespace nestwright::bench {

struct PairedRace {
  MedianInterval ratio;        ///< time of the second kernel relative to the first
  double time_half_width = 0;  ///< of the first one's interval, relative to its time
  std::string disturbance;     ///< of either kernel; empty: the race counts
};
PairedRace paired_race(const Timing& first, const Timing& second);

/// The conclusion about the second kernel, as a session would draw it.
enum class Verdict : std::uint8_t { kDisturbed, kTied, kFaster, kSlower };
/// A race without a pair of samples is disturbed.
Verdict verdict_of(const PairedRace& race);

struct Tally {
  int races = 0, disturbed = 0, tied = 0, faster = 0, slower = 0;
  double ratio_half_width = 0;  ///< median over the races that count, relative to the ratio
  double time_half_width = 0;   ///< likewise, for the time of the first kernel

  int verdicts() const { return races - disturbed; }
};
Tally tally_of(std::span<const PairedRace> races);

/// part / whole; 0 where `whole` is 0.
double share_of(int part, int whole);

}  // namespace nestwright::bench
